import Contract
import HTTP
import ServiceKit
import Wire

/// Profile images: users change their own, and every signed-in user with the path can read one.
struct ProfileImageRoutes: Sendable {
    let profileImages: ProfileImages
    let imageSize: Int
    let links: FileLinks

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.put, "/v1/users/me/image", in: .july2024, body: .files(1, of: imageSize), change)
        routes.files(of: ProfileImages.folder, links, readable: { paths, _ in Set(paths) }, picture)
    }

    func registerInternal(in routes: inout InternalRoutes) { routes.add(PicturePieceRequest.self, piece) }

    /// A piece of a portrait, current or replaced, for a report's copy of it.
    func piece(_ request: PicturePieceRequest) async throws -> ExportFilePiece {
        try await profileImages.pictures.piece(for: request, in: [ProfileImages.folder])
    }

    /// Replaces the caller's image; without a file it stays.
    func change(_ call: Call, _ caller: Caller) async throws -> Response {
        let file = try await call.fields().file("image")
        return call.reply(try await profileImages.change(of: caller.user, to: file).view())
    }

    func picture(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.picture("\(ProfileImages.folder)/\(try call.text("name"))", in: profileImages.pictures.files)
    }
}
