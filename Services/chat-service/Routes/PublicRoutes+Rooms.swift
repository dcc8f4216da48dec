import Contract
import HTTP
import ServiceKit
import Wire

extension PublicRoutes {
    /// Handles a call about a room, with its target: the room, its workspace and the name of a channel.
    typealias RoomHandler = @Sendable (Call, Caller, MessageTarget) async throws -> Response

    /// Adds a route of the native API for members of a room: one for channels and one for DMs.
    ///
    /// - Parameters:
    ///   - suffix: the path after the room, such as `/notify`.
    ///   - writes: whether the room must accept messages of the caller. A DM that one of the two has left does not.
    mutating func native(
        _ method: Method, ofRoom suffix: String, access: RoomAccess, body: BodyLimit = .fields, writes: Bool = false,
        _ handler: @escaping RoomHandler
    ) {
        native(method, "/v1/workspaces/{id}/channels/{channel_id}" + suffix, body: body) { call, caller in
            let channel = try await access.channel(
                .id(try call.id("channel_id")), in: try call.id("id"), forMember: caller.user)
            return try await handler(call, caller, MessageTarget(channel))
        }
        native(method, "/v1/workspaces/{id}/dms/{room_id}" + suffix, body: body) { call, caller in
            let (id, workspace): (DMID, WorkspaceID) = (try call.id("room_id"), try call.id("id"))
            let dm =
                writes
                ? try await access.openDM(id, of: caller.user, in: workspace)
                : try await access.dm(id, of: caller.user, in: workspace)
            return try await handler(call, caller, MessageTarget(dm))
        }
    }
}
