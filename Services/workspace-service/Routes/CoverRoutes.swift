import Contract
import HTTP
import ServiceKit
import Wire

/// The cover images of workspaces and channels, for members of the workspace.
struct CoverRoutes: Sendable {
    let covers: CoverImages
    let memberships: Memberships
    let links: FileLinks

    func register(in routes: inout PublicRoutes) {
        for folder in CoverImages.Folder.allCases {
            routes.files(of: folder.rawValue, links) { paths, caller in
                try await memberships.visible(covers: paths, to: caller.user)
            } _: { call, caller in
                try await image(in: folder, call, caller)
            }
        }
    }

    func registerInternal(in routes: inout InternalRoutes) { routes.add(PicturePieceRequest.self, piece) }

    /// A piece of a cover, current or replaced, for a report's copy of it.
    func piece(_ request: PicturePieceRequest) async throws -> ExportFilePiece {
        try await covers.pictures.piece(for: request, in: CoverImages.Folder.allCases.map(\.rawValue))
    }

    private func image(in folder: CoverImages.Folder, _ call: Call, _ caller: Caller) async throws -> Response {
        let name = "\(folder.rawValue)/\(try call.text("name"))"
        guard try await !memberships.visible(covers: [Pictures.path(of: name)], to: caller.user).isEmpty else {
            throw Failure.notFound
        }
        return try await call.picture(name, in: covers.pictures.files)
    }
}
