import Contract
import HTTP
import ServiceSupport
import Wire

/// A server that plays auth-, workspace- and chat-service, and the provider of pushes, for the gateway.
typealias StubPeers = StubServer<PeersOfGateway>

struct PeersOfGateway: StubState {
    /// Members of each channel; the workspace's others see it.
    var channels: [Int64: Set<Int64>] = [7: Set(1...60), 8: Set(1...60)]
    /// The workspaces of channels outside of workspace 3.
    var otherWorkspaces: [Int64: Int64] = [:]
    var workspace: Set<Int64> = Set(1...80)
    var guests: Set<Int64> = []
    /// The two of each DM, and whether both are still in the workspace.
    var dms: [Int64: (users: [Int64], isOpen: Bool)] = [5: ([1, 2], true)]
    var messages: [RoomID: [RoomMessage]] = [:]
    /// Changes of them, by revision.
    var changes: [RoomID: [RoomChange]] = [:]
    /// How far history replies went of which Redis was not told, by session.
    var told: [Int64: Int64] = [:]
    /// Every call, as `METHOD path`.
    var calls: [String] = []
    /// The headers `traceparent` of the sends of `/me` sockets.
    var traces: [String] = []
    /// Rooms asked for in each comparison of heads.
    var comparisons: [[String]] = []
    var revocations: [(session: Int64, user: Int64)] = []
    /// When they were, where that is not just now.
    var revocationTimes: [Int64: Timestamp] = [:]
    var devices: [Int64: [String]] = [:]
    /// The users that each user has blocked.
    var blocked: [Int64: Set<Int64>] = [:]
    /// Whether calls for blocks fail.
    var blocksAway = false
    var pruned: [String] = []
    /// The client profile of each device's session, where it is known.
    var deviceProfiles: [String: String] = [:]
    /// The reasons of members that differ from `all`, and the badges of members.
    var pushReasons: [Int64: String] = [:]
    /// The settings of users, as JSON.
    var settings: [Int64: String] = [:]
    var (badges, hasPartialBadges): ([Int64: Int], Bool) = ([:], false)
    /// Pushes that the provider was sent, by device.
    var pushes: [(device: String, message: JSONValue)] = []
    /// The provider's next answers, before it takes any push: status, error code and Retry-After.
    var refusals: [(status: UInt16, code: String, retryAfter: String?)] = []
    /// How long the provider, and the place of its access tokens, take; and for which devices the answer does not leave yet.
    var pushTakes = Duration.zero
    var tokenTakes = Duration.zero
    var heldDevices: Set<String> = []
    /// Whether calls for devices fail.
    var devicesAway = false
    /// Channels for which calls for members fail.
    var awayChannels: Set<Int64> = []
    var isAway = false
    /// Whether access answers are made and held.
    var isHoldingAccess = false
    /// Whether the answers of chat-service from which `/me` sockets start are held, and for which users they were made, call by call.
    var isHoldingStarts = false
    var startedUsers: [[Int64]] = []
    var startTimes: [ContinuousClock.Instant] = []
    /// Whether workspace- and chat-service are of a release that answers the start of one user at a time, and the users without a
    /// readable start.
    var knowsNoStarts = false
    var failingStarts: Set<Int64> = []
    var me = StubOfMe()
    /// The next access answer of this user is held, the next profile, and so are the answers of these calls.
    var nextHeld: Int64?
    var holdsNextProfile = false
    var heldCalls: Set<Int> = []
    /// The paths of calls with answers that are made and held.
    var heldPaths: Set<String> = []
    /// How long an access call takes.
    var accessTakes = Duration.zero
    /// How long a comparison of heads waits before it is made, whether it fails, and the rooms that are out of reach.
    var headsTake = Duration.zero
    var headsAway = false
    var lostRooms: Set<String> = []

    func delay(of call: StubCall) -> Duration {
        if call.path.hasSuffix("messages:send") { return pushTakes }
        switch call.path {
        case "/internal/rooms/heads": return headsTake
        case "/internal/access": return accessTakes
        case "/token": return tokenTakes
        default: return .zero
        }
    }

    func isHolding(_ call: StubCall) -> Bool {
        isHoldingAccess && call.path == "/internal/access"
            || isHoldingStarts && call.path == "/internal/starts"
            || heldCalls.contains(call.serial) || heldPaths.contains(call.path)
            || !heldDevices.isEmpty && heldDevices.contains(call.json?["message"]?["token"]?.string ?? "")
    }

    mutating func answer(_ call: StubCall) -> Response? {
        calls.append("\(call.method) \(call.path)")
        if call.path.hasSuffix("/messages"), let trace = call.traceParent { traces.append(trace) }
        holdIfNext(call)
        if refuses(call) || headsAway && call.path == "/internal/rooms/heads"
            || devicesAway && call.path == "/internal/devices" || blocksAway && call.path == "/internal/blocks"
            || call.path.hasSuffix("/members") && awayChannels.contains(call.number)
        {
            return .refusal(503, "E99")
        }
        return call.path.hasSuffix("messages:send") ? push(call) : known(call)
    }

    /// Writes a message into a room as chat-service would.
    mutating func write(_ text: String, in room: RoomID, by author: Int64, session: Int64) -> RoomMessage {
        let message = RoomMessage(
            room: room, workspace: WorkspaceID(3), name: room.kind == .channel ? "general" : nil,
            body: MessageBody(
                id: ChatID(Int64(messages[room]?.count ?? 0) + 1000), seq: Int64(messages[room]?.count ?? 0) + 1,
                content: text, createdAt: .now, files: [],
                author: MemberView(
                    id: UserID(author), email: "\(author)@b.kr", nickname: "n\(author)", profileImage: nil)
            ),
            session: SessionID(session))
        messages[room, default: []].append(message)
        return message
    }

    /// The reply to a call of the internal API.
    private mutating func known(_ call: StubCall) -> Response? {
        switch call.subject {
        case ("revocations", _):
            let since = call.parameter("since").flatMap { Int64($0) } ?? 0
            let list = revocations.compactMap { session, user -> String? in
                let at = (revocationTimes[session] ?? .now).milliseconds
                return at >= since ? #"{"session":"\#(session)","user_id":"\#(user)","at":\#(at)}"# : nil
            }
            return .json(#"{"now":\#(Timestamp.now.milliseconds),"revocations":[\#(list.joined(separator: ","))]}"#)
        case ("devices", "prune"):
            pruned.append(call.text("token") ?? "")
            return .json("{}")
        case ("devices", _):
            return .list(
                "devices",
                call.ids("ids").flatMap { id in
                    devices[id, default: []].map { token in
                        let profile = deviceProfiles[token].map { #","profile":"\#($0)""# } ?? ""
                        return #"{"user_id":"\#(id)","token":"\#(token)"\#(profile)}"#
                    }
                })
        case ("blocks", _):
            func list(_ ids: some Sequence<Int64>) -> String { ids.sorted().map { "\"\($0)\"" }.joined(separator: ",") }
            return .list(
                "blocks",
                call.ids("ids").map { user in
                    let blockers = blocked.filter { $0.value.contains(user) }.map(\.key)
                    return """
                        {"user_id":"\(user)","blocked":[\(list(blocked[user] ?? []))],"blockers":[\(list(blockers))]}
                        """
                })
        case ("pushes", "decisions"): return decisions(call)
        case ("erasures", _), ("operators", "acts"): return .json("{}")
        case ("access", _): return access(call.id("user_id") ?? 0, call.ids("channels"), call.ids("workspaces"))
        case ("channels", "members"):
            let after = call.parameter("after").flatMap { Int64($0) } ?? 0
            let members = channels[call.number, default: []].filter { $0 > after }.sorted()
            return .list("members", members.map { "\"\($0)\"" })
        case ("dms", "access"): return access(call.id("user_id") ?? 0, dms: call.ids("rooms"))
        case ("rooms", "heads"):
            let rooms = call.texts("rooms")
            comparisons.append(rooms)
            let heads = rooms.filter { !lostRooms.contains($0) }.compactMap { name in
                RoomID(name).flatMap { messages[$0]?.last }.map {
                    #"{"room":"\#(name)","seq":\#($0.body.seq),"rev":\#(rev(of: $0.room))}"#
                }
            }
            let lost = rooms.filter(lostRooms.contains).map { "\"\($0)\"" }
            return .json(#"{"heads":[\#(heads.joined(separator: ","))],"lost":[\#(lost.joined(separator: ","))]}"#)
        case ("rooms", _) where call.parts.count == 5 && call.parts[3] == "positions":
            return .json(#"{"seq":\#(told[Int64(call.parts[4]) ?? 0] ?? 0)}"#)
        case ("acquaintances", _), ("badges", _), ("profiles", _): return people(call)
        case ("users", "channels"): return myChannels(of: call.number)
        case ("users", "rooms"): return myRooms(of: call.number, call)
        case ("starts", "channels"): return startChannels(of: call.ids("ids"))
        case ("starts", _): return starts(call)
        case ("rooms", "changes"): return RoomID(call.parts[2]).map { changes(of: $0, call) }
        case ("rooms", "history"): return longHistory
        case ("rooms", "messages"): return RoomID(call.parts[2]).map { messages(of: $0, call) }
        case ("token", _), (_, "token"): return .json(#"{"access_token":"t","expires_in":3600}"#)
        default: return nil
        }
    }

    private func access(_ user: Int64, _ channels: [Int64], _ workspaces: [Int64]) -> Response {
        .access(
            channels: channels.compactMap { element($0, user) },
            workspaces: workspaces.filter { $0 == 3 && workspace.contains(user) },
            memberRole: guests.contains(user) ? "guest" : "member")
    }

    private func access(_ user: Int64, dms asked: [Int64]) -> Response {
        .list(
            "dms",
            asked.compactMap { id in
                guard let dm = dms[id], dm.users.contains(user) else { return nil }
                let users = dm.users.map { "\"\($0)\"" }.joined(separator: ",")
                return #"{"room_id":"\#(id)","workspace_id":"3","users":[\#(users)],"open":\#(dm.isOpen)}"#
            })
    }

    private func decisions(_ call: StubCall) -> Response {
        let groups = call.ids("users").map { #"{"reason":"\#(pushReasons[$0] ?? "all")","users":["\#($0)"]}"# }
        let counts = call.ids("badges").map { #"{"user_id":"\#($0)","count":\#(badges[$0] ?? 0)}"# }
        let room = call.json?["room"]?.string.flatMap(RoomID.init)
        let message = room.flatMap { messages[$0] }?.first { $0.body.seq == call.json?["seq"]?.int.map(Int64.init) }
        let bytes = JSONWriter.bytes { json in json.value(message?.body.content ?? "") }
        let content = message == nil ? "" : ",\"content\":" + String(decoding: bytes, as: UTF8.self)
        return .json(
            #"{"groups":[\#(groups.joined(separator: ","))],"badges":[\#(counts.joined(separator: ","))]\#(content)}"#)
    }

    private func messages(of room: RoomID, _ call: StubCall) -> Response {
        let after = call.parameter("after_seq").flatMap { Int64($0) } ?? 0
        let limit = call.parameter("limit").flatMap { Int($0) } ?? 500
        let bytes = call.parameter("bytes").flatMap { Int($0) } ?? .max
        let all = messages[room] ?? []
        let head = all.last?.body.seq ?? 0
        let behind = all.filter { $0.body.seq > after }.prefix(limit)
        var size = 0
        let found = behind.prefix { message in
            defer { size += message.body.content.utf8.count }
            return size < bytes
        }
        let end =
            found.count < behind.count ? found.last?.body.seq ?? head : max(after, min(head, after + Int64(limit)))
        let events = found.map { String(decoding: RoomEvent.message($0).encoded(), as: UTF8.self) }
        return .json(
            #"{"complete":true,"head":\#(head),"end":\#(end),"events":[\#(events.joined(separator: ","))]}"#)
    }

    private func element(_ id: Int64, _ user: Int64) -> String? {
        guard let members = channels[id], workspace.contains(user) else { return nil }
        return StubJSON.channel(id, "general", in: workspace(of: id), isMember: members.contains(user))
    }

    func workspace(of channel: Int64) -> Int64 { otherWorkspaces[channel] ?? 3 }
}

extension StubServer<PeersOfGateway> {
    /// How often a path has been asked.
    func count(_ path: String) -> Int { now.calls.count { $0.hasSuffix(path) } }
}
