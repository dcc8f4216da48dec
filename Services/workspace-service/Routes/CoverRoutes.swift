import Contract
import HTTP
import ServiceKit
import Wire

/// The cover images of workspaces and channels, for members of the workspace.
struct CoverRoutes: Sendable {
    let covers: CoverImages
    let memberships: Memberships

    func register(in routes: inout PublicRoutes) {
        for folder in CoverImages.Folder.allCases {
            routes.signedIn(.get, "/v1/static/\(folder.rawValue)/{name}") { call, caller in
                try await image(in: folder, call, caller)
            }
        }
    }

    private func image(in folder: CoverImages.Folder, _ call: Call, _ caller: Caller) async throws -> Response {
        let name = "\(folder.rawValue)/\(try call.text("name"))"
        guard try await memberships.canSee(cover: Pictures.path(of: name), caller.user) else { throw Failure.notFound }
        return try await call.file(name, in: covers.pictures.files)
    }
}
