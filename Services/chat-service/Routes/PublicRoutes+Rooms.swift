import HTTP
import ServiceKit

extension PublicRoutes {
    /// Handles a call about a room that the caller is in.
    typealias RoomHandler = @Sendable (Call, Caller, RoomPath.Room) async throws -> Response

    /// Adds a route of the native API for members of a room: one for channels and one for DMs.
    ///
    /// - Parameters:
    ///   - suffix: the path after the room, such as `/notify`.
    ///   - writes: whether the room must accept messages of the caller. A DM that one of the two has left does not.
    mutating func native(
        _ method: Method, of rooms: RoomPath, _ suffix: String, body: BodyLimit = .fields, writes: Bool = false,
        _ handler: @escaping RoomHandler
    ) {
        for kind in RoomPath.Kind.allCases {
            native(method, kind.template + suffix, body: body) { call, caller in
                try await handler(call, caller, try await rooms.room(kind, of: call, caller, writing: writes))
            }
        }
    }
}
