import Contract
import HTTP
import ServiceSupport
import Wire

struct StubOfMe: Sendable {
    /// The read markers of all users in rooms; a room without one has no unread messages.
    var markers: [RoomID: Int64] = [:]
    /// Bytes that are added to the summary of each room.
    var padding = 0
    /// The paths of calls that fail.
    var awayPaths: Set<String> = []
    /// Calls for more messages at once fail; nil for no limit.
    var largestPage: Int?
    /// The users of the calls for access.
    var accessUsers: Set<Int64> = []
    /// The workspaces with rooms that no start has, because they are out of reach.
    var lostWorkspaces: Set<Int64> = []
}

/// The replies from which `/me` sockets begin.
extension PeersOfGateway {
    func refuses(_ call: StubCall) -> Bool {
        if isAway || me.awayPaths.contains(call.path) { return true }
        guard let largest = me.largestPage, call.path.hasSuffix("/messages") else { return false }
        let limit = call.parameter("limit").flatMap { Int($0) } ?? .max
        return limit > largest
    }

    func myChannels(of user: Int64) -> Response {
        .list(
            "channels",
            channels.keys.sorted().filter { workspace.contains(user) && channels[$0]?.contains(user) == true }
                .map { StubJSON.channel($0, "general", in: workspace(of: $0), isMember: true) })
    }

    func myRooms(of user: Int64, _ call: StubCall) -> Response {
        .json(myRooms(of: user, in: channels(call.json)).encoded())
    }

    func startChannels(of users: [Int64]) -> Response? {
        if knowsNoStarts { return .refusal(404, "E97") }
        let found = users.filter(workspace.contains).map { user in
            StartChannelsReply.User(
                id: UserID(user),
                channels: channels.keys.sorted().filter { channels[$0]?.contains(user) == true }
                    .map { .init(id: ChannelID($0), workspace: WorkspaceID(workspace(of: $0)), name: "general") },
                whollySeen: guests.contains(user) ? [] : [WorkspaceID(3)])
        }
        return .json(StartChannelsReply(users: found).encoded())
    }

    mutating func starts(_ call: StubCall) -> Response? {
        if knowsNoStarts { return .refusal(404, "E97") }
        guard let elements = call.json?["users"]?.elements else { return nil }
        let users = elements.compactMap(StartsRequest.User.init)
        startedUsers.append(users.map(\.id.rawValue))
        startTimes.append(.now)
        let starts = users.filter { !failingStarts.contains($0.id.rawValue) }.map { user in
            StartsReply.Start(user: user.id, rooms: myRooms(of: user.id.rawValue, in: user.channels.map(\.id)))
        }
        return .json(StartsReply(starts: starts).encoded())
    }

    private func channels(_ json: JSONValue?) -> [ChannelID] {
        json?["channels"]?.elements?.compactMap { $0["channel_id"]?.string.flatMap(ChannelID.init) } ?? []
    }

    private func myRooms(of user: Int64, in named: [ChannelID]) -> MyRoomsReply {
        let own = dms.filter { $0.value.users.contains(user) }.keys.sorted().map { RoomID(DMID($0)) }
        let all = (named.map { RoomID($0) } + own).map { room in
            (room: room, workspace: room.channel.map { workspace(of: $0.rawValue) } ?? 3)
        }
        let rooms = all.filter { !me.lostWorkspaces.contains($0.workspace) }.map { room, workspace in
            let head = messages[room]?.last?.body.seq ?? 0
            let marker = me.markers[room] ?? head
            return MyRoomsReply.Room(
                room: room, workspace: WorkspaceID(workspace), head: RoomHead(seq: head, rev: rev(of: room)),
                unread: head - marker,
                summary: JSONWriter.bytes { json in
                    json.object { json in
                        json.field("room", room.description)
                        json.field("lastSeq", head)
                        if me.markers[room] != nil { json.field("lastReadSeq", marker) }
                        if me.padding > 0 { json.field("name", String(repeating: "x", count: me.padding)) }
                    }
                })
        }
        return MyRoomsReply(
            user: Array(#"{"user_id":"\#(user)"}"#.utf8), settings: Array((settings[user] ?? "{}").utf8), rooms: rooms,
            unavailable: Set(all.map(\.workspace)).intersection(me.lostWorkspaces).sorted().map { WorkspaceID($0) })
    }

    /// The revision of a room.
    func rev(of room: RoomID) -> Int64 { changes[room]?.last?.rev ?? 0 }

    func changes(of room: RoomID, _ call: StubCall) -> Response {
        let after = call.parameter("after_rev").flatMap { Int64($0) } ?? 0
        let limit = call.parameter("limit").flatMap { Int($0) } ?? 500
        let page = (changes[room] ?? []).filter { $0.rev > after }.prefix(limit)
        let reply = RoomChangesReply(
            rev: page.last?.rev ?? rev(of: room), head: rev(of: room), events: page.map { RoomEvent.changed($0) })
        return .json(reply.encoded())
    }

    /// Holds the answer of a call if it is the next one of its kind.
    mutating func holdIfNext(_ call: StubCall) {
        if call.path == "/internal/access", let user = call.id("user_id") { me.accessUsers.insert(user) }
        let isNextAccess = nextHeld != nil && call.path == "/internal/access" && call.id("user_id") == nextHeld
        if isNextAccess { nextHeld = nil }
        let isNextProfile = holdsNextProfile && call.path == "/internal/profiles"
        if isNextProfile { holdsNextProfile = false }
        if isNextAccess || isNextProfile { heldCalls.insert(call.serial) }
    }

    /// A page of history that is as long as they get.
    var longHistory: Response { .json(#"{"result":["\#(String(repeating: "x", count: 200_000))"]}"#) }

    /// Guests see the people of their channels only.
    private func sees(_ other: Int64, by user: Int64) -> Bool {
        guard workspace.contains(user), workspace.contains(other) else { return false }
        return !guests.contains(user) || channels.values.contains { $0.contains(user) && $0.contains(other) }
    }

    /// The replies about people that a user meets.
    func people(_ call: StubCall) -> Response {
        switch call.subject {
        case ("acquaintances", _):
            let user = call.id("user_id") ?? 0
            return .list("ids", call.ids("others").filter { sees($0, by: user) }.map { "\"\($0)\"" })
        case ("badges", _):
            let counts = call.ids("ids").map { #"{"user_id":"\#($0)","unread":\#(badges[$0] ?? 0),"mentions":0}"# }
            return .json(#"{"badges":[\#(counts.joined(separator: ","))],"partial":\#(hasPartialBadges)}"#)
        default:
            return .list(
                "profiles",
                call.ids("ids").map {
                    #"{"user_id":"\#($0)","email":"\#($0)@b.kr","nickname":"n\#($0)","version":1}"#
                })
        }
    }
}
