import Contract
import HTTP
import ServiceKit
import Wire

/// The standing of members, and the filtered words of a workspace.
struct ModerationRoutes: Sendable {
    let moderation: Moderation

    func register(in routes: inout PublicRoutes) {
        let path = "/v1/workspaces/{id}"
        routes.native(.get, path + "/standing", own)
        routes.native(.get, path + "/standings", list)
        routes.native(.put, path + "/standings/{user_id}", set)
        routes.native(.get, path + "/filters", words)
        routes.native(.put, path + "/filters", body: .text(1 << 18), setWords)
    }

    func register(in routes: inout InternalRoutes) { routes.add(WritersRequest.self, writers) }

    /// Asked by workspace-service before a member makes a bot, which could write for a muted one.
    private func writers(_ request: WritersRequest) async throws -> UsersReply {
        UsersReply(users: try await moderation.writers(among: request.users, in: request.workspace))
    }

    private func own(_ call: Call, _ caller: Caller) async throws -> Response {
        let standing = try await moderation.standing(of: caller.user, in: try call.id("id"))
        return call.reply { json in json.object { $0.standing(standing) } }
    }

    private func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.listLimit()
        let found = try await moderation.list(
            in: try call.id("id"), for: caller.user, after: try call.numericCursor() ?? 0, limit: limit)
        return call.reply { json in
            json.object { json in
                json.array("items") { json in
                    for (user, standing) in found {
                        json.object { json in
                            json.field("user_id", user, for: call.profile)
                            json.standing(standing)
                        }
                    }
                }
                json.field("next", found.count == limit ? found.last?.0.description : nil)
            }
        }
    }

    /// Without `mutedUntil` the member is not muted any more.
    private func set(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let standing = try await moderation.set(
            try call.id("user_id"), in: try call.id("id"), mutedUntil: try fields.optionalMoment("mutedUntil"),
            isSuspended: try fields.optionalFlag("suspended") ?? false, by: caller.user, from: call.origin(of: caller))
        return call.reply { json in json.object { $0.standing(standing) } }
    }

    private func words(_ call: Call, _ caller: Caller) async throws -> Response {
        let words = try await moderation.words(of: try call.id("id"), for: caller.user)
        return call.reply { $0.words(words) }
    }

    private func setWords(_ call: Call, _ caller: Caller) async throws -> Response {
        guard let items = try await call.json()["items"]?.elements else { throw Failure.invalid("items is missing.") }
        let words = try items.map { item throws(Failure) in
            guard let word = item["word"]?.string, let action = item["action"]?.string,
                ["reject", "mask"].contains(action)
            else { throw .invalid("Each item needs a word and the action reject or mask.") }
            return WordFilter.Word(text: word, isMasked: action == "mask")
        }
        let stored = try await moderation.setWords(
            words, of: try call.id("id"), by: caller.user, from: call.origin(of: caller))
        return call.reply { $0.words(stored) }
    }
}

extension JSONWriter {
    fileprivate mutating func standing(_ standing: Standing) {
        field("warnings", standing.warnings)
        if let at = standing.warnedAt { field("warnedAt", at) }
        if let until = standing.mutedUntil, until > .now { field("mutedUntil", until) }
        field("suspended", standing.isSuspended)
    }

    fileprivate mutating func words(_ words: [WordFilter.Word]) {
        object { json in
            json.array("items") { json in
                for word in words {
                    json.object { json in
                        json.field("word", word.text)
                        json.field("action", word.isMasked ? "mask" : "reject")
                    }
                }
            }
        }
    }
}
