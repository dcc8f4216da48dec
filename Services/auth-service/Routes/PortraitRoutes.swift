import Contract
import HTTP
import ServiceKit
import Wire

/// The pictures of people: changed by themselves, seen by whoever is signed in and was told the path.
struct PortraitRoutes: Sendable {
    let accounts: AccountStore
    let profiles: Profiles
    let portraits: Portraits
    let imageSize: Int

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.put, "/v1/users/me/image", in: .july2024, body: .files(1, of: imageSize), change)
        routes.signedIn(.get, "/v1/static/\(Portraits.folder)/{name}", picture)
    }

    /// An absent picture means unchanged.
    func change(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        guard let file = fields.file("image") else {
            return call.reply(try await profiles.change(caller.user, ProfileChange()).view())
        }
        let former = try await accounts.find(caller.user)?.profileImage
        let path = try await portraits.keep(file)
        do {
            let account = try await profiles.change(caller.user, ProfileChange(profileImage: path))
            await portraits.discard(former)
            return call.reply(account.view())
        } catch {
            await portraits.discard(path)
            throw error
        }
    }

    func picture(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.file("\(Portraits.folder)/\(try call.text("name"))", in: portraits.files)
    }
}
