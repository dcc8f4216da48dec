import Contract
import ServiceKit

/// The rooms for gateways.
struct RoomRoutes: Sendable {
    let messages: MessageStore
    let doors: Doors
    let events: RoomEvents
    let toldPositions: ToldPositionStore

    func register(in routes: inout InternalRoutes) {
        routes.add(RoomEventsRequest.self, since)
        routes.add(RoomHeadsRequest.self, heads)
        routes.add(HistoryCursorRequest.self, historyCursor)
        routes.add(DMAccessRequest.self, access)
    }

    func since(_ request: RoomEventsRequest) async throws -> RoomEventsReply {
        try await events.page(
            of: request.room, after: request.after, limit: Int64(request.limit), bytes: request.bytes ?? .max)
    }

    func heads(_ request: RoomHeadsRequest) async throws -> RoomHeadsReply {
        let heads = try await messages.heads(of: request.rooms)
        return RoomHeadsReply(heads: heads.map { RoomHeadsReply.Head(room: $0, seq: $1) })
    }

    func historyCursor(_ request: HistoryCursorRequest) async throws -> HistoryCursorReply {
        HistoryCursorReply(seq: try await toldPositions.find(request.session, request.room))
    }

    func access(_ request: DMAccessRequest) async throws -> DMAccessReply {
        let dms = try await doors.dms(request.rooms, of: request.user)
        return DMAccessReply(
            dms: dms.map {
                DMAccess(id: $0.id, workspace: $0.workspace, users: [$0.low, $0.high], isOpen: $0.isOpen)
            })
    }
}
