import Contract
import HTTP
import ServiceKit
import Wire

/// The pictures of people: changed by themselves, seen by whoever is signed in and was told the path.
struct PortraitRoutes: Sendable {
    let portraits: Portraits
    let imageSize: Int

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.put, "/v1/users/me/image", in: .july2024, body: .files(1, of: imageSize), change)
        routes.signedIn(.get, "/v1/static/\(Portraits.folder)/{name}", picture)
    }

    /// An absent picture means unchanged.
    func change(_ call: Call, _ caller: Caller) async throws -> Response {
        let file = try await call.fields().file("image")
        return call.reply(try await portraits.change(of: caller.user, to: file).view())
    }

    func picture(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.file("\(Portraits.folder)/\(try call.text("name"))", in: portraits.pictures.files)
    }
}
