import ServiceSupport
import TestSupport
import Wire

extension ChatHarness {
    /// The path of channel 7.
    static let channel = "/v1/workspaces/3/channels/7"

    /// Opens a DM and returns its path.
    func dm(_ user: Int64, _ opponent: Int64) async throws -> String {
        let reply = try await call(
            "POST", "/v1/workspaces/3/dms", user: user, json: #"{"opponent_id":"\#(opponent)"}"#)
        return "/v1/workspaces/3/dms/\(try reply.json["room_id"]?.string ?? reply.text)"
    }

    /// Replaces a user's settings.
    @discardableResult
    func set(
        user: Int64 = 1, readReceipts: Bool = true, doNotDisturb: String = "null", keywords: [String] = []
    ) async throws -> HTTPCall.Reply {
        let words = keywords.map { "\"\($0)\"" }.joined(separator: ",")
        return try await call(
            "PUT", "/v1/users/me/settings", user: user,
            json: """
                {"readReceipts":\(readReceipts),"presence":true,"typing":true,"doNotDisturb":\(doNotDisturb),\
                "keywords":[\(words)]}
                """)
    }

    /// A room of a user's home screen in workspace 3, by a member such as `"channel_id"`.
    func room(_ name: StaticString, _ id: String, user: Int64 = 1, key: String = "native") async throws -> JSONValue {
        let rooms = try await call("GET", "/v1/workspaces/3/rooms", user: user, key: key).json.elements
        guard let room = rooms?.first(where: { $0[name]?.string == id }) else {
            throw NeverHappened(description: "a room \(id)")
        }
        return room
    }

    /// The decisions about a message as a gateway gets them: the reason of each user, the badges and the text.
    func decisions(
        _ users: [Int64], seq: Int, room: String = "channel-7", badges: [Int64] = []
    ) async throws -> (reasons: [Int64: String], badges: [Int64: Int], content: String?) {
        func list(_ ids: [Int64]) -> String { ids.map { "\"\($0)\"" }.joined(separator: ",") }
        let reply = try await instances[0].internalCall(
            "POST", "/internal/pushes/decisions",
            json: #"{"room":"\#(room)","seq":\#(seq),"users":[\#(list(users))],"badges":[\#(list(badges))]}"#)
        var reasons: [Int64: String] = [:]
        for group in try reply.json["groups"]?.elements.map(Array.init) ?? [] {
            for user in group["users"]?.elements.map(Array.init) ?? [] {
                reasons[Int64(user.string ?? "") ?? 0] = group["reason"]?.string
            }
        }
        var counts: [Int64: Int] = [:]
        for badge in try reply.json["badges"]?.elements.map(Array.init) ?? [] {
            counts[Int64(badge["user_id"]?.string ?? "") ?? 0] = badge["count"]?.int
        }
        return (reasons, counts, try reply.json["content"]?.string)
    }

    /// The badges of users, as their `/me` sockets are told them.
    func badges(_ users: [Int64]) async throws -> [Int64: (unread: Int, mentions: Int)] {
        let list = users.map { "\"\($0)\"" }.joined(separator: ",")
        let reply = try await instances[0].internalCall("POST", "/internal/badges", json: #"{"ids":[\#(list)]}"#)
        var badges: [Int64: (unread: Int, mentions: Int)] = [:]
        for badge in try reply.json["badges"]?.elements.map(Array.init) ?? [] {
            badges[Int64(badge["user_id"]?.string ?? "") ?? 0] = (
                badge["unread"]?.int ?? -1, badge["mentions"]?.int ?? -1
            )
        }
        return badges
    }

    /// The rooms in a start of a user's `/me` socket.
    func start(of user: Int64, on instance: Int = 0) async throws -> [JSONValue] {
        let channels = peers.now.channels.filter { $0.value.members.contains(user) }.sorted { $0.key < $1.key }.map {
            #"{"channel_id":"\#($0.key)","workspace_id":"\#($0.value.workspace)","name":"\#($0.value.name)"}"#
        }
        let reply = try await instances[instance].internalCall(
            "POST", "/internal/users/\(user)/rooms",
            json: #"{"profile":"native","channels":[\#(channels.joined(separator: ","))]}"#)
        return try reply.json["rooms"]?.elements?.compactMap { $0["summary"] } ?? []
    }
}
