import Contract
import SocketIO
import Wire

/// An event that a `/me` socket is sent. Each has one object as its argument.
enum MeEvent: Equatable {
    /// The first event of a socket.
    case ready(MeReady)
    case message(RoomMessage)
    case changed(RoomChange)
    case gap(MeGap)
    /// The user has gained access to a room.
    case joined(RoomID)
    /// The user has lost access to a room: nothing of it follows.
    case left(RoomID)
    /// Another member of the room is typing, in a thread or in the room itself. It is valid for six seconds.
    case typing(RoomID, user: UserID, thread: Int64?)
    /// A member's read marker has moved. The counts are for the member's own devices.
    case read(RoomRead, withCounts: Bool)
    /// Another device has changed the user's settings, how a room notifies the user, or a draft. The client reads it.
    case changedElsewhere(UserStateHint.Part, RoomID?)
    /// Users among those that the client watches, with their newest states.
    case presence([UserID: PresenceState])
    case badge(MeBadge)
    /// A workspace, a channel or a member was created, edited or deleted, has entered or is gone.
    case directory(MeDirectoryEvent)
    /// A bot has answered a command of the user later, for the user alone.
    case commandAnswer(PrivateAnswer)
    case sessionEnded(reason: String)

    static let namespace = "/me"

    var name: String {
        switch self {
        case .ready: "ready"
        case .message: "message"
        case .changed: "changed"
        case .gap: "gap"
        case .joined: "joined"
        case .left: "left"
        case .typing: "typing"
        case .read: "read"
        case .changedElsewhere(let part, _): part.rawValue
        case .presence: "presence"
        case .badge: "badge"
        case .directory(let event): event.name
        case .commandAnswer: "commandAnswer"
        case .sessionEnded: "sessionEnded"
        }
    }

    /// The packet of an event that is the same for all profiles.
    var packet: SocketIOPacket { packet(for: .ofNobody) }

    func packet(for profile: ClientProfile) -> SocketIOPacket {
        .event(name, in: Self.namespace) { json in json.object { writeMembers(to: &$0, for: profile) } }
    }

    private func writeMembers(to json: inout JSONWriter, for profile: ClientProfile) {
        switch self {
        case .ready(let ready): ready.writeMembers(to: &json)
        case .message(let message): write(message, to: &json, profile)
        case .changed(let change): write(change.message, to: &json, profile)
        case .gap(let gap): gap.writeMembers(to: &json)
        case .joined(let room), .left(let room): json.field("room", room.description)
        case .typing(let room, let user, let thread):
            json.field("room", room.description)
            if let thread { json.field("thread", thread) }
            json.field("user_id", user.description)
        case .read(let read, let withCounts):
            json.field("room", read.room.description)
            json.field("user_id", read.user.description)
            json.field("seq", read.seq)
            if withCounts {
                json.field("unreadCount", read.unread)
                json.field("mentionCount", read.mentions)
            }
        case .changedElsewhere(_, let room): if let room { json.field("room", room.description) }
        case .presence(let states):
            json.object("users") { json in
                for (user, state) in states {
                    json.key(escaping: user.description)
                    json.value(state.rawValue)
                }
            }
        case .badge(let badge):
            json.field("unreadCount", badge.unread)
            json.field("mentionCount", badge.mentions)
        case .directory(let event): event.writeMembers(to: &json, for: profile)
        case .commandAnswer(let answer): answer.writeMembers(to: &json)
        case .sessionEnded(let reason): json.field("reason", reason)
        }
    }

    private func write(_ message: RoomMessage, to json: inout JSONWriter, _ profile: ClientProfile) {
        json.field("room", message.room.description)
        json.field("message") { message.write(to: &$0, for: profile) }
    }
}

/// The argument of `ready`.
struct MeReady: Equatable {
    let session: SessionID
    let start: MyRoomsReply
    let now: Timestamp

    func writeMembers(to json: inout JSONWriter) {
        json.field("session", session.description)
        json.field("user") { $0.raw(start.user) }
        json.array("rooms") { json in for room in start.rooms { json.raw(room.summary) } }
        json.field("settings") { $0.raw(start.settings) }
        json.field("serverTime", now)
        if !start.unavailable.isEmpty { json.field("unavailable", start.unavailable.map(\.description)) }
    }
}

/// A part of a room that is too much to be sent: the client loads it by HTTP.
struct MeGap: Equatable {
    let room: RoomID
    /// The first and the last seq of the missing messages; `from` is larger if none is missing.
    let from, to: Int64
    /// The revision after which changes are missing, and the one up to which; nil if none is missing.
    var changes: Changes?

    struct Changes: Equatable {
        let after, through: Int64
    }

    func writeMembers(to json: inout JSONWriter) {
        json.field("room", room.description)
        json.field("from", from)
        json.field("to", to)
        if let changes {
            json.field("afterRev", changes.after)
            json.field("toRev", changes.through)
        }
    }
}
