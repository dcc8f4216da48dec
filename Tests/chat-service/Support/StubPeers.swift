import HTTP
import ServiceSupport
import Wire

/// A stub of auth-service and workspace-service.
typealias StubPeers = StubServer<PeersOfChat>

struct PeersOfChat: StubState {
    struct Channel: Sendable {
        let workspace: Int64
        var name: String
        var members: Set<Int64>
        /// That of its workspace.
        var version = 1
    }

    /// The members of each workspace.
    var workspaces: [Int64: Set<Int64>] = [3: [1, 2, 3, 4, 5, 6], 4: [1, 2]]
    /// The roles of users in all workspaces, where they are not members.
    var roles: [Int64: String] = [:]
    /// System workspaces. The others belong to the member with the role, or to a user that takes no part.
    var ownerless: Set<Int64> = []
    /// The name of each workspace.
    var workspaceName = "회사"
    /// The users that are locked out of all workspaces for want of a second factor.
    var lockedOut: Set<Int64> = []
    /// Whether calls for blocks fail.
    var isBlocksDown = false
    /// The channels with members that cannot be read.
    var brokenChannels: Set<Int64> = []
    /// Whether calls for access fail.
    var isAccessDown = false
    /// The entries of the audit log of operators, as `act subject outcome`.
    var acts: [String] = []
    /// The users that an operator has disabled.
    var disabled: Set<Int64> = []
    /// The entries of audit logs: action and key.
    var audited: [String] = []
    /// The removals after reports: user, workspace and the deciding owner.
    var removals: [String] = []
    /// Users that leave all workspaces right after the stub has reported them as members.
    var leavingWhenSeen: Set<Int64> = []
    /// When all members joined all channels, in milliseconds since 1970; nil if the peer does not tell it.
    var joinedAt: Int64?
    /// Nicknames that differ from `n<id>`.
    var nicknames: [Int64: String] = [:]
    /// The paths of portraits, by user.
    var portraits: [Int64: String] = [:]
    /// The portraits and covers by path; nil while their services do not answer.
    var pictures: [String: [UInt8]]? = [:]
    /// The paths of all calls, in order.
    var asked: [String] = []
    /// The users that each user has blocked.
    var blocked: [Int64: Set<Int64>] = [:]
    /// The users that are present; nil while realtime-gateway does not answer.
    var present: Set<Int64>? = []
    /// Whether realtime-gateway keeps the answer about present users back.
    var holdsPresence = false
    /// The paths of the calls with answers that are kept back.
    var heldPaths: Set<String> = []
    /// The reported erasures: user and round.
    var erased: [String] = []
    /// The notices by mail: user, kind and detail, and their keys. While `isNoticeDown`, they are refused after they were taken.
    var noticed: [String] = []
    var noticeKeys: [String] = []
    var isNoticeDown = false
    /// The nicknames of bots, by workspace and key; a bot has the id 9000 and its place in the order of the making.
    var bots: [(key: String, nickname: String)] = []
    /// Whether auth-service answers.
    var hasProfiles = true
    /// Users without an account.
    var unknown: Set<Int64> = []
    var channels: [Int64: Channel] = [
        7: Channel(workspace: 3, name: "general", members: [1, 2, 3, 4]),
        8: Channel(workspace: 3, name: "random", members: [1]),
        9: Channel(workspace: 4, name: "general", members: [1]),
    ]

    func count(_ path: String) -> Int { asked.count { $0 == path } }

    func isHolding(_ call: StubCall) -> Bool {
        holdsPresence && call.parts.last == "present" || heldPaths.contains(call.path)
    }

    mutating func answer(_ call: StubCall) -> Response? {
        asked.append(call.path)
        let user = call.id("user_id") ?? 0
        switch call.subject {
        case ("profiles", _):
            guard hasProfiles else { return .refusal(500, "E99") }
            let known = call.ids("ids").filter { !unknown.contains($0) }
            let profiles = known.map {
                StubJSON.profile($0, nickname: nicknames[$0] ?? "n\($0)", image: portraits[$0])
            }
            return .list("profiles", profiles)
        case ("operators", "acts"):
            acts.append("\(call.text("act") ?? "") \(call.text("subject") ?? "") \(call.text("outcome") ?? "begun")")
            return .json("{}")
        case ("disabled", _):
            return .list("ids", call.ids("ids").filter(disabled.contains).map { "\"\($0)\"" })
        case ("notices", _):
            noticed.append("\(user) \(call.text("kind") ?? "") \(call.text("detail") ?? "")")
            noticeKeys.append(call.text("key") ?? "")
            return isNoticeDown ? .refusal(503, "E99") : .json("{}")
        case ("bots", _):
            let key = "\(call.id("workspace_id") ?? 0) \(call.text("key") ?? "")"
            let nickname = call.text("nickname") ?? ""
            let index = bots.firstIndex { $0.key == key } ?? bots.count
            if index == bots.count { bots.append((key, nickname)) } else { bots[index].nickname = nickname }
            nicknames[9000 + Int64(index)] = nickname
            return .json(#"{"user_id":"\#(9000 + index)"}"#)
        case ("access", _) where isAccessDown: return .refusal(503, "E99")
        case ("access", _): return access(user, call.ids("channels"), call.ids("workspaces"))
        case ("lock-outs", _):
            let asked = call.ids("workspaces") + call.ids("channels").compactMap { channels[$0]?.workspace }
            return .list("ids", lockedOut.contains(user) ? Set(asked).sorted().map { "\"\($0)\"" } : [])
        case ("channels", "join"):
            guard let channel = channels[call.number], workspaces[channel.workspace]?.contains(user) == true else {
                return nil
            }
            channels[call.number]?.members.insert(user)
            return element(call.number, user).map { .json($0) }
        case ("channels", "members") where brokenChannels.contains(call.number): return .refusal(503, "E99")
        case ("channels", "members"):
            let after = call.parameter("after").flatMap { Int64($0) } ?? 0
            let members = channels[call.number]?.members.sorted().filter { $0 > after } ?? []
            let page = members.prefix(1000)
            let next = members.count > page.count ? #","next":"\#(page.last ?? 0)""# : ""
            return .json(#"{"members":[\#(page.map { "\"\($0)\"" }.joined(separator: ","))]\#(next)}"#)
        case ("memberships", _):
            return .list(
                "memberships",
                call.ids("ids").map { user in
                    let mine = channels.filter { $0.value.members.contains(user) }.keys.sorted()
                    return #"{"user_id":"\#(user)","channels":[\#(mine.map { "\"\($0)\"" }.joined(separator: ","))]}"#
                })
        case ("workspaces", "by-name"):
            guard let name = call.parameter("name"), let user = call.parameter("user_id").flatMap({ Int64($0) }),
                let found = channels.first(where: { $0.value.workspace == call.number && $0.value.name == name })
            else { return nil }
            return element(found.key, user).map { .json($0) }
        case ("workspaces", "members"):
            var members = workspaces[call.number] ?? []
            if let viewer = call.parameter("seen_by").flatMap({ Int64($0) }) {
                members.formIntersection(seen(by: viewer))
            }
            return .list("members", members.sorted().map { "\"\($0)\"" })
        case ("workspaces", "channels"):
            let user = call.parameter("user_id").flatMap { Int64($0) } ?? 0
            let visible = channels.filter { $0.value.workspace == call.number }.keys.sorted()
            return .list("channels", visible.compactMap { element($0, user) })
        case ("acquaintances", _):
            return .list("ids", call.ids("others").filter(seen(by: user).contains).map { "\"\($0)\"" })
        case ("users", "channels"):
            let mine = channels.filter { $0.value.workspace == 3 && $0.value.members.contains(call.number) }
            return .list("channels", mine.keys.sorted().compactMap { element($0, call.number) })
        case ("blocks", _) where isBlocksDown: return .refusal(503, "E99")
        case ("blocks", _):
            func list(_ ids: [Int64]) -> String { ids.sorted().map { "\"\($0)\"" }.joined(separator: ",") }
            return .list(
                "blocks",
                call.ids("ids").map { user in
                    let blockers = blocked.filter { $0.value.contains(user) }.map(\.key)
                    return """
                        {"user_id":"\(user)","blocked":[\(list(Array(blocked[user] ?? [])))],\
                        "blockers":[\(list(blockers))]}
                        """
                })
        case ("workspaces", "owner"):
            guard let members = workspaces[call.number] else { return nil }
            let name = #""name":"\#(workspaceName)","image":"/static/w.png""#
            if ownerless.contains(call.number) { return .json("{\(name)}") }
            return .json(#"{"user_id":"\#(members.first { roles[$0] == "owner" } ?? 99)",\#(name)}"#)
        case ("pictures", "piece"):
            guard let pictures else { return .refusal(503, "E99") }
            guard let bytes = pictures[call.parameter("path") ?? ""] else { return nil }
            let offset = call.parameter("offset").flatMap { Int($0) } ?? 0
            // Smaller than those of a service, so that a small picture has several.
            let piece = Array(bytes.dropFirst(offset).prefix(1000))
            return .json(#"{"bytes":"\#(Base64.encode(piece.span, .standard))","size":\#(bytes.count)}"#)
        case ("workspaces", "audit"):
            // A call without an answer in time is repeated, and its key makes it one.
            let entry = "\(call.text("action") ?? "") \(call.text("key") ?? "")"
            if !audited.contains(entry) { audited.append(entry) }
            return .json("{}")
        case ("operators", "acts"): return .json("{}")
        case ("workspaces", "removals"):
            let removal = "\(user) \(call.number) \(call.text("by") ?? "nobody")"
            if !removals.contains(removal) { removals.append(removal) }
            workspaces[call.number]?.remove(user)
            return .json("{}")
        case ("rooms", "present"):
            return present.map { present in
                .list("ids", call.ids("ids").filter(present.contains).map { "\"\($0)\"" })
            }
        case ("erasures", _):
            erased.append("\(call.number) \(call.json?["round"]?.int ?? 0)")
            return .json("{}")
        default: return nil
        }
    }

    private mutating func access(_ user: Int64, _ channels: [Int64], _ workspaces: [Int64]) -> Response {
        let found = workspaces.filter { !lockedOut.contains(user) && self.workspaces[$0]?.contains(user) == true }
        let answer = Response.access(
            channels: channels.compactMap { element($0, user) }, workspaces: found,
            memberRole: roles[user] ?? "member")
        if !found.isEmpty, leavingWhenSeen.remove(user) != nil {
            for workspace in self.workspaces.keys { self.workspaces[workspace]?.remove(user) }
        }
        return answer
    }

    /// The users that a guest sees.
    private func seen(by guest: Int64) -> Set<Int64> {
        channels.values.filter { $0.members.contains(guest) }.reduce(into: [guest]) { $0.formUnion($1.members) }
    }

    private func element(_ id: Int64, _ user: Int64) -> String? {
        guard let channel = channels[id], workspaces[channel.workspace]?.contains(user) == true,
            !lockedOut.contains(user), roles[user] != "guest" || channel.members.contains(user)
        else { return nil }
        return StubJSON.channel(
            id, channel.name, in: channel.workspace, isMember: channel.members.contains(user), joinedAt: joinedAt,
            version: channel.version)
    }
}
