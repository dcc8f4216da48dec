import Contract
import HTTP
import ServiceKit
import Wire

/// The bots of a workspace and their tokens, for its owner and admins.
struct BotRoutes: Sendable {
    let bots: Bots

    func register(in routes: inout PublicRoutes) {
        let all = "/v1/workspaces/{id}/bots"
        let tokens = all + "/{bot_id}/tokens"
        routes.native(.post, all, create)
        routes.native(.get, all, list)
        routes.native(.delete, all + "/{bot_id}", delete)
        routes.native(.post, tokens, makeToken)
        routes.native(.get, tokens, listTokens)
        routes.native(.post, tokens + "/{token_id}/secret", rotate)
        routes.native(.delete, tokens + "/{token_id}", revoke)
    }

    func create(_ call: Call, _ caller: Caller) async throws -> Response {
        let made = try await bots.create(
            try await call.fields().text("name"), in: try call.id("id"), by: caller.user,
            from: call.origin(of: caller))
        return call.created(BotView(bot: made.bot, profile: made.profile))
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let found = try await bots.list(try call.id("id"), for: caller.user)
        // A workspace has few bots.
        return call.page(found, next: nil) { found, json in
            BotView(bot: found.bot, profile: found.profile).write(to: &json, for: call.profile)
        }
    }

    func delete(_ call: Call, _ caller: Caller) async throws -> Response {
        try await bots.delete(
            try call.id("bot_id"), from: try call.id("id"), by: caller.user, origin: call.origin(of: caller))
        return call.done()
    }

    // MARK: Tokens

    func makeToken(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let fresh = try await bots.makeToken(
            try fields.text("name"), try fields.texts("scopes", atMost: 20), of: try call.id("bot_id"),
            in: try call.id("id"), by: caller.user, from: call.origin(of: caller))
        return call.created(BotTokenView(token: fresh.token, text: fresh.text))
    }

    func listTokens(_ call: Call, _ caller: Caller) async throws -> Response {
        let found = try await bots.tokens(of: try call.id("bot_id"), in: try call.id("id"), for: caller.user)
        return call.page(found, next: nil) { token, json in
            BotTokenView(token: token, text: nil).write(to: &json, for: call.profile)
        }
    }

    func rotate(_ call: Call, _ caller: Caller) async throws -> Response {
        let fresh = try await bots.rotate(
            try call.token(), of: try call.id("bot_id"), in: try call.id("id"), by: caller.user,
            from: call.origin(of: caller))
        return call.reply(BotTokenView(token: fresh.token, text: fresh.text))
    }

    func revoke(_ call: Call, _ caller: Caller) async throws -> Response {
        try await bots.revoke(
            try call.token(), of: try call.id("bot_id"), in: try call.id("id"), by: caller.user,
            from: call.origin(of: caller))
        return call.done()
    }
}

extension Call {
    fileprivate func token() throws(Failure) -> Int64 { (try id("token_id") as ID<BotTokenReply>).rawValue }
}
