import Contract
import HTTP
import ServiceKit
import Wire

/// Blocking users, and the list of the blocked ones.
struct BlockRoutes: Sendable {
    let blocks: Blocks

    private static let limits = 1...200
    private static let usualLimit = 50

    func register(in routes: inout PublicRoutes) {
        routes.native(.put, "/v1/users/{id}/block", block)
        routes.native(.delete, "/v1/users/{id}/block", unblock)
        routes.native(.get, "/v1/users/me/blocks", list)
    }

    func registerInternal(in routes: inout InternalRoutes) { routes.add(BlocksRequest.self, ofUsers) }

    func block(_ call: Call, _ caller: Caller) async throws -> Response {
        try await blocks.block(try call.id("id"), by: caller.user)
        return call.done()
    }

    func unblock(_ call: Call, _ caller: Caller) async throws -> Response {
        try await blocks.unblock(try call.id("id"), by: caller.user)
        return call.done()
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.number("limit", in: Self.limits) ?? Self.usualLimit
        let place = try Self.place(try call.query("cursor"))
        let found = try await blocks.store.list(of: caller.user, before: place, limit: limit)
        let last = found.count == limit ? found.last : nil
        return call.reply { json in
            json.object { json in
                json.array("items") { json in
                    for block in found {
                        json.object { json in
                            json.field("user", block.member, for: call.profile)
                            json.field("blockedAt", block.createdAt)
                        }
                    }
                }
                json.field("next", last.map { "\($0.createdAt.milliseconds)-\($0.member.id)" })
            }
        }
    }

    private static func place(_ cursor: String?) throws(Failure) -> (time: Int64, id: Int64) {
        guard let cursor, !cursor.isEmpty else { return (.max, .max) }
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let time = parts[0], let id = parts[1] else {
            throw .invalid("cursor is not valid.")
        }
        return (time, id)
    }

    func ofUsers(_ request: BlocksRequest) async throws -> BlocksReply {
        BlocksReply(blocks: try await blocks.store.blocks(of: request.users))
    }
}
