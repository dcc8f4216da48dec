import Contract
import EventLoop
import HTTP
import ServiceSupport
import Synchronization
import Wire

/// Stubs of the internal APIs that a measured service calls, and of FCM. They reply at once.
///
/// All users exist, are members of every channel and have one device each.
final class PeerServices: Sendable {
    let address: SocketAddress
    let issuer: TokenIssuer
    private let layout: RoomLayout
    private let server: Server
    private let group = EventLoopGroup(count: 1)
    private let pushes: Pushes
    /// The head of the room that events are written to. A gateway that missed events cannot backfill them here and goes
    /// on after them.
    let head = RoomHead()

    final class RoomHead: Sendable {
        private let seq = Atomic<Int64>(0)

        var value: Int64 { seq.load(ordering: .relaxed) }

        func advance(to new: Int64) { seq.store(new, ordering: .relaxed) }
    }

    final class Pushes: Sendable {
        private let arrivals = Mutex<[(sentAt: UInt64, at: UInt64)]>([])

        func arrived(sentAt: UInt64) { arrivals.withLock { $0.append((sentAt, EventLoop.preciseNow)) } }

        var all: [(sentAt: UInt64, at: UInt64)] { arrivals.withLock { $0 } }
    }

    init(_ layout: RoomLayout, _ issuer: TokenIssuer) throws {
        let pushes = Pushes()
        self.layout = layout
        self.issuer = issuer
        self.pushes = pushes
        server = Server(on: group) { [head] request in
            let body = try await request.body.collect(upTo: 1 << 22)
            let replies = PeerReplies(layout: layout, keys: issuer.jwks, pushes: pushes, head: head)
            return try replies.reply(to: String(decoding: request.path, as: UTF8.self), request, body)
        }
        address = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!)
    }

    var url: String { "http://\(address)" }

    /// For each pushed message the time of its sending and of its push, in nanoseconds of `EventLoop.preciseNow`.
    var pushed: [(sentAt: UInt64, at: UInt64)] { pushes.all }

    func stop() async {
        await server.stop()
        group.stop()
    }
}

/// The replies of the stubs.
struct PeerReplies {
    let layout: RoomLayout
    let keys: [UInt8]
    let pushes: PeerServices.Pushes
    let head: PeerServices.RoomHead

    func reply(to path: String, _ request: Request, _ body: [UInt8]) throws -> Response {
        if path.hasSuffix("messages:send") { return push(body) }
        switch path {
        case "/internal/keys": return .json(keys)
        case "/internal/access": return access(try JSONValue(parsing: body))
        case "/internal/profiles": return profiles(try JSONValue(parsing: body))
        case "/internal/devices": return devices(try JSONValue(parsing: body))
        case "/internal/rooms/heads": return object { $0.array("heads") { _ in } }
        case "/internal/blocks": return object { $0.array("blocks") { _ in } }
        case "/token": return token()
        case "/internal/revocations":
            return object { json in
                json.field("now", Timestamp.now.milliseconds)
                json.array("revocations") { _ in }
            }
        case _ where path.hasPrefix("/internal/rooms/"):
            return object { json in
                json.field("complete", true)
                json.field("head", head.value)
                // The session cursor, if the call asks for it.
                json.field("seq", 0)
                json.field("end", head.value)
                json.array("events") { _ in }
            }
        default:
            let parts = path.split(separator: "/")
            guard parts.count == 4 else { return try people(path, body) }
            let id = Int64(parts[2]) ?? 0
            switch (parts[1], parts[3]) {
            case ("channels", "members"): return members(of: ChannelID(id))
            default: return Response(.notFound)
            }
        }
    }

    private func object(_ body: (inout JSONWriter) -> Void) -> Response {
        .json(JSONWriter.bytes { json in json.object { json in body(&json) } })
    }

    private func ids(_ json: JSONValue, _ name: String) -> [String] {
        json[named: name]?.elements?.compactMap(\.string) ?? []
    }

    private func access(_ json: JSONValue) -> Response {
        let channels = ids(json, "channels").compactMap(ChannelID.init)
        return object { json in
            json.array("channels") { json in
                for channel in channels {
                    json.value(
                        ChannelAccess(
                            id: channel, workspace: RoomLayout.workspace, name: RoomLayout.name(of: channel),
                            role: .member,
                            isDefault: false, version: 1))
                }
            }
            json.array("workspaces") { _ in }
        }
    }

    private func profiles(_ json: JSONValue) -> Response {
        list("profiles", of: json) { user, json in
            json.field("user_id", user)
            json.field("email", "\(user)@maru.example")
            json.field("nickname", "Mina")
            json.field("version", 1)
        }
    }

    private func devices(_ json: JSONValue) -> Response {
        list("devices", of: json) { user, json in
            json.field("user_id", user)
            json.field("token", "device-\(user)")
        }
    }

    /// A list with one object for each requested user.
    private func list(
        _ name: StaticString, of json: JSONValue, _ write: (String, inout JSONWriter) -> Void
    ) -> Response {
        let users = ids(json, "ids")
        return object { json in
            json.array(name) { json in for user in users { json.object { json in write(user, &json) } } }
        }
    }

    // MARK: Calls for /me sockets

    private func people(_ path: String, _ body: [UInt8]) throws -> Response {
        let json = try JSONValue(parsing: body)
        let users = ids(json, "ids").compactMap(UserID.init)
        switch path {
        case "/internal/badges":
            return .json(BadgesReply(badges: users.map { .init(user: $0, unread: 0, mentions: 0) }).encoded())
        case "/internal/starts/channels":
            return .json(
                StartChannelsReply(
                    users: users.map { user in
                        StartChannelsReply.User(
                            id: user,
                            channels: layout.channels(of: Int(user.rawValue)).map {
                                .init(id: $0, workspace: RoomLayout.workspace, name: RoomLayout.name(of: $0))
                            }, whollySeen: [])
                    }
                ).encoded())
        case "/internal/starts":
            let asked = json[named: "users"]?.elements?.compactMap(StartsRequest.User.init) ?? []
            return .json(
                StartsReply(starts: asked.map { .init(user: $0.id, rooms: rooms(of: Int($0.id.rawValue))) }).encoded())
        case "/internal/memberships":
            return .json(
                MembershipsReply(
                    memberships: users.map { .init(user: $0, channels: layout.channels(of: Int($0.rawValue))) }
                ).encoded())
        case "/internal/blocks": return .json(BlocksReply(blocks: []).encoded())
        case "/internal/acquaintances":
            return .json(UsersReply(users: ids(json, "others").compactMap(UserID.init)).encoded())
        default: return Response(.notFound)
        }
    }

    /// The start of a /me socket where chat-service is a stub.
    private func rooms(of user: Int) -> MyRoomsReply {
        let rooms = layout.channels(of: user).map { channel in
            MyRoomsReply.Room(
                room: RoomID(channel), workspace: RoomLayout.workspace,
                head: Contract.RoomHead(seq: head.value, rev: 0), unread: 0, summary: Array("{}".utf8))
        }
        return MyRoomsReply(user: Array("{}".utf8), settings: Array("{}".utf8), rooms: rooms)
    }

    private func members(of channel: ChannelID) -> Response {
        object { json in
            json.array("members") { json in for user in layout.users(of: channel) { json.value("\(user)") } }
        }
    }

    private func token() -> Response {
        object { json in
            json.field("access_token", "token")
            json.field("expires_in", 3599)
        }
    }

    private func push(_ body: [UInt8]) -> Response {
        pushes.arrived(sentAt: TimedEvent.sentAt(body) ?? 0)
        return object { $0.field("name", "projects/load/messages/1") }
    }
}
