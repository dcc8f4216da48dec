import Contract
import ServiceKit
import Wire

/// The internal routes for `/me` sockets, which gateways call.
struct InternalMeRoutes: Sendable {
    let rooms: MyRooms
    let profiles: ClientProfiles

    func register(in routes: inout InternalRoutes) {
        routes.add(MyRoomsRequest.self, start)
    }

    func start(_ request: MyRoomsRequest) async throws -> MyRoomsReply {
        let profile = try native(request.profile)
        let start = try await rooms.start(of: request.user, in: request.channels)
        return MyRoomsReply(
            user: JSONWriter.bytes { $0.view(start.user, for: profile) },
            settings: JSONWriter.bytes { $0.view(SettingsView(settings: start.settings), for: profile) },
            rooms: start.rooms.compactMap { room in
                guard let workspace = room.workspace else { return nil }
                return MyRoomsReply.Room(
                    room: room.state.room, workspace: workspace, head: room.state.head, unread: room.state.unread,
                    summary: JSONWriter.bytes { $0.view(RoomSummaryView(summary: room), for: profile) })
            })
    }

    private func native(_ name: String) throws(Failure) -> ClientProfile {
        guard let profile = profiles[name: name], profile.isNative else { throw .invalid("profile is not native.") }
        return profile
    }
}
