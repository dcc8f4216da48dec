import Contract
import HTTP
import ServiceKit
import Wire

/// The room in a path of the native API: a channel or a DM.
struct RoomPath: Sendable {
    let access: RoomAccess

    enum Kind: CaseIterable, Sendable {
        case channel, dm

        var template: String {
            switch self {
            case .channel: "/v1/workspaces/{id}/channels/{channel_id}"
            case .dm: "/v1/workspaces/{id}/dms/{room_id}"
            }
        }
    }

    /// A room that the caller is in.
    struct Room: Sendable {
        let target: MessageTarget
        /// Whether the caller owns the channel.
        let isOwner: Bool

        var id: RoomID { target.room }

        func key(_ call: Call) throws(Failure) -> MessageKey { MessageKey(target.key, seq: try call.seq()) }
    }

    /// - Parameter writing: a DM that one of the two has left can only be read.
    func room(_ kind: Kind, of call: Call, _ caller: Caller, writing: Bool) async throws -> Room {
        let workspace: WorkspaceID = try call.id("id")
        switch kind {
        case .channel:
            let channel = try await access.channel(
                .id(try call.id("channel_id")), in: workspace, forMember: caller.user)
            return Room(target: MessageTarget(channel), isOwner: channel.role == .owner)
        case .dm:
            let id: DMID = try call.id("room_id")
            let dm =
                writing
                ? try await access.openDM(id, of: caller.user, in: workspace)
                : try await access.dm(id, of: caller.user, in: workspace)
            return Room(target: MessageTarget(dm), isOwner: false)
        }
    }
}

extension Call {
    /// The seq of the path. Throws `notFound` for a text that is not a seq.
    func seq() throws(Failure) -> Int64 { (try id("seq") as ChatID).rawValue }

    /// The `limit` of a list.
    func listLimit() throws(Failure) -> Int { try number("limit", in: 1...200) ?? 50 }

    /// The `cursor` of a list that is a number; nil if it is absent or empty.
    func numericCursor() throws(Failure) -> Int64? { try number("cursor", in: 0...Int.max).map { Int64($0) } }
}

/// A message of either kind of room.
struct RoomMessageView: View {
    let room: RoomID
    /// The name of a channel; nil in a DM.
    let name: String?
    let message: MessageBody

    init(_ target: MessageTarget, _ message: MessageBody) {
        self.init(room: target.room, name: target.name, message: message)
    }

    init(room: RoomID, name: String?, message: MessageBody) {
        self.room = room
        self.name = name
        self.message = message
    }

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        if let channel = room.channel {
            ChatView(channel: channel, channelName: name ?? "", message: message).write(to: &json, for: profile)
        } else if let dm = room.dm {
            DMView(room: dm, message: message).write(to: &json, for: profile)
        }
    }
}

extension JSONWriter {
    /// Appends the members `room` and `message` of an item in a list of messages from several rooms.
    ///
    /// - Parameter name: the name of a channel; nil in a DM.
    mutating func roomMessage(_ message: MessageBody, in room: RoomID, _ name: String?, for profile: ClientProfile) {
        field("room", room.description)
        field("message", RoomMessageView(room: room, name: name, message: message), for: profile)
    }
}
