import Contract
import HTTP
import ServiceKit
import Wire

/// Profiles: the caller's own, and those of users in a workspace of the caller.
struct ProfileRoutes: Sendable {
    let profiles: Profiles
    let reader: ProfileReader
    let system: SystemUser

    func register(in routes: inout PublicRoutes) {
        routes.signedIn(.get, "/v1/users/my", in: .january2024, mine)
        routes.signedIn(.get, "/v1/users/me", in: .july2024, mine)
        routes.signedIn(.put, "/v1/users/me", in: .july2024, edit)
        routes.signedIn(.get, "/v1/users/{id}", in: .july2024, another)
    }

    func mine(_ call: Call, _ caller: Caller) async throws -> Response {
        guard let own = try await reader.profile(of: caller.user) else { throw Failure.notFound }
        return call.reply(own.account.view(coins: own.coins))
    }

    func edit(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let change = ProfileChange(
            nickname: try fields.optionalText("nickname").map(ProfileRules.nickname),
            phone: fields.contains("phone") ? .some(try ProfileRules.phone(try fields.optionalText("phone"))) : nil,
            language: try fields.optionalText("language").map(ProfileRules.language))
        return call.reply(try await profiles.change(caller.user, change).view())
    }

    func another(_ call: Call, _ caller: Caller) async throws -> Response {
        let id = try call.member("id")
        if id == .system { return call.reply(system.member) }
        return call.reply(try await profiles.account(of: id, for: caller.user).memberView)
    }
}
