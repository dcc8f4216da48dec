import Contract
import ServiceKit

/// The internal routes for rooms, which gateways call.
struct RoomRoutes: Sendable {
    let headStore: RoomHeadStore
    let access: RoomAccess
    let events: RoomEvents
    let historyCursors: HistoryCursorStore

    func register(in routes: inout InternalRoutes) {
        routes.add(RoomEventsRequest.self, since)
        routes.add(RoomChangesRequest.self, changes)
        routes.add(RoomHeadsRequest.self, heads)
        routes.add(HistoryCursorRequest.self, historyCursor)
        routes.add(DMAccessRequest.self, dmAccess)
    }

    func since(_ request: RoomEventsRequest) async throws -> RoomEventsReply {
        // A caller without a byte limit takes missing messages for erased ones, so its page is complete.
        try await events.page(
            of: request.room, after: request.after, limit: Int64(request.limit), bytes: request.bytes ?? .max)
    }

    func changes(_ request: RoomChangesRequest) async throws -> RoomChangesReply {
        try await events.changes(of: request.room, after: request.after, limit: request.limit)
    }

    func heads(_ request: RoomHeadsRequest) async throws -> RoomHeadsReply {
        let (known, lost) = try await headStore.heads(
            of: Array(try await events.workspaces.keys(of: Set(request.rooms)).values))
        return RoomHeadsReply(
            heads: known.map { RoomHeadsReply.Head(room: $0, seq: $1.seq, rev: $1.rev) }, lost: lost)
    }

    func historyCursor(_ request: HistoryCursorRequest) async throws -> HistoryCursorReply {
        // A room without messages has no cursors.
        guard let room = try await events.workspaces.key(of: request.room) else { return HistoryCursorReply(seq: 0) }
        return HistoryCursorReply(seq: try await historyCursors.find(request.session, room))
    }

    func dmAccess(_ request: DMAccessRequest) async throws -> DMAccessReply {
        let dms = try await access.dms(request.rooms, of: request.user)
        return DMAccessReply(
            dms: dms.map {
                DMAccess(id: $0.id, workspace: $0.workspace, users: [$0.low, $0.high], isOpen: $0.isOpen)
            })
    }
}
