import Contract
import HTTP
import ServiceKit
import Wire

/// The pictures of workspaces and channels, for members of the workspace.
struct CoverRoutes: Sendable {
    let covers: Covers
    let access: AccessStore

    func register(in routes: inout PublicRoutes) {
        for folder in Covers.Folder.allCases {
            routes.signedIn(.get, "/v1/static/\(folder.rawValue)/{name}") { call, caller in
                try await picture(in: folder, call, caller)
            }
        }
    }

    private func picture(in folder: Covers.Folder, _ call: Call, _ caller: Caller) async throws -> Response {
        let name = "\(folder.rawValue)/\(try call.text("name"))"
        guard try await access.sees(cover: Pictures.path(of: name), caller.user) else { throw Failure.notFound }
        return try await call.file(name, in: covers.pictures.files)
    }
}
