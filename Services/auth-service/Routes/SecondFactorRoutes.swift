import Contract
import HTTP
import ServiceKit
import Wire

/// The second factor of an account, and the second step of a sign-in.
struct SecondFactorRoutes: Sendable {
    let factors: SecondFactors
    let accounts: AccountStore
    let confirmation: DeletionConfirmation
    let finish: SignInFinish

    private static let path = "/v1/users/me/second-factor"

    func register(in routes: inout PublicRoutes) {
        routes.native(.get, Self.path, state)
        routes.native(.post, Self.path, begin)
        routes.native(.put, Self.path, enable)
        routes.native(.delete, Self.path, disable)
        routes.native(.post, Self.path + "/recovery-codes", renew)
        routes.nativeOpen(.post, "/v1/users/login/second-factor", redeem)
    }

    func registerInternal(in routes: inout InternalRoutes) { routes.add(SecondFactorsRequest.self, ofUsers) }

    func state(_ call: Call, _ caller: Caller) async throws -> Response {
        let state = try await factors.state(of: caller.user)
        return call.reply { json in
            json.object { json in
                json.field("enabled", state.isEnabled)
                json.field("recoveryCodes", state.recoveryCodes)
            }
        }
    }

    /// Replies with a new secret, which counts once its first code comes back.
    func begin(_ call: Call, _ caller: Caller) async throws -> Response {
        let proof = try DeletionConfirmation.Proof(in: try await call.fields())
        _ = try await confirmation.confirm(caller, from: call.address, under: call.profile, by: proof)
        guard let account = try await accounts.find(caller.user) else { throw Failure.notFound }
        let passwords = try await factors.begin(of: account)
        return secretReply(call) { json in
            json.field("secret", Base32.encode(passwords.secret.span))
            json.field("url", passwords.address(of: account.email, at: factors.issuer))
        }
    }

    func enable(_ call: Call, _ caller: Caller) async throws -> Response {
        let code = try await call.fields().text("code", upTo: 64)
        return reply(try await factors.enable(of: caller, code: code), call)
    }

    func renew(_ call: Call, _ caller: Caller) async throws -> Response {
        let code = try await call.fields().text("code", upTo: 64)
        return reply(try await factors.renewCodes(of: caller.user, code: code), call)
    }

    func disable(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let code = try fields.text("code", upTo: 64)
        let proof = try DeletionConfirmation.Proof(in: fields)
        _ = try await confirmation.confirm(caller, from: call.address, under: call.profile, by: proof)
        try await factors.disable(of: caller.user, code: code)
        return call.done()
    }

    /// The second step of a sign-in.
    func redeem(_ call: Call) async throws -> Response {
        let fields = try await call.fields()
        let ticket = try fields.text("ticket", upTo: 64)
        let code = try fields.text("code", upTo: 64)
        let remembers = try fields.optionalFlag("remember") ?? false
        let device = try DeviceToken.checked(try fields.optionalText("deviceToken"))
        let pending = try await finish.tickets.redeem(ticket, code: code, under: call.profile)
        guard let account = try await accounts.find(pending.account) else { throw Failure.notFound }
        let token = remembers ? try await finish.tickets.remember(account.id) : nil
        let isInCookie = try RefreshCookie.isWanted(call)
        var response = try await finish.open(account.id, pending.credentials, device: device, call) { tokens in
            call.reply(account.view(tokens: tokens, remember: isInCookie ? nil : token))
        }
        if isInCookie, let token { RememberCookie.set(token, in: &response, for: call) }
        return response
    }

    private func reply(_ codes: [RecoveryCode], _ call: Call) -> Response {
        secretReply(call) { json in json.field("recoveryCodes", codes.map(\.shown)) }
    }

    private func secretReply(_ call: Call, _ members: (inout JSONWriter) -> Void) -> Response {
        var response = call.reply { json in json.object(members) }
        response.headers.append(.cacheControl, "no-store")
        return response
    }

    func ofUsers(_ request: SecondFactorsRequest) async throws -> UsersReply {
        UsersReply(users: try await factors.store.users(withFactorAmong: request.users))
    }
}
