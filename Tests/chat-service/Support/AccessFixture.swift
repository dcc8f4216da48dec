import ServiceSupport
import TestSupport
import Wire

/// A workspace with the personas of the access table. Each row of the table has its own users.
struct AccessFixture: Sendable {
    /// A member of the workspace. Any persona may open a DM with it.
    static let friend: Int64 = 7

    /// A DM with a file in it.
    private struct Room: Sendable {
        let id: String
        let file: String
    }

    private let channelFile: String
    /// The DM of owner and member.
    private let room: Room
    /// The DMs of the owner and the ex-members, one for each row.
    private let formerRooms: [Room]

    static func user(_ persona: Persona, row: Int) -> Int64 { persona.rawValue + Int64(10 * row) }

    /// Adds all users, removes the ex-members again, and returns after the service has noticed.
    static func make(in chat: ChatHarness) async throws -> AccessFixture {
        let rows = AccessTable.rows.indices
        func users(_ persona: Persona) -> [Int64] { rows.map { user(persona, row: $0) } }
        let inside = users(.owner) + users(.member)
        let former = users(.exMember)
        chat.peers.change { state in
            state.workspaces = [3: Set(inside + users(.observer) + former + [friend]), 4: Set(users(.otherWorkspace))]
            state.channels[7]?.members = Set(inside + former)
            state.channels[9]?.members = Set(users(.otherWorkspace))
        }
        let uploaded = try await chat.upload([.png])
        let room = try await Self.room(of: 1, and: 2, in: chat)
        var formerRooms: [Room] = []
        for user in former {
            formerRooms.append(try await Self.room(of: 1, and: user, in: chat))
            // Fills the caches with the ex-member.
            _ = try await chat.history(user: user)
        }
        try await leave(former, in: chat)
        return AccessFixture(
            channelFile: try uploaded.json["files"]?[0]?.string ?? "", room: room, formerRooms: formerRooms)
    }

    private static func room(of user: Int64, and other: Int64, in chat: ChatHarness) async throws -> Room {
        let opened = try await chat.call(
            "POST", "/v1/workspaces/3/dms", user: user, json: #"{"opponent_id":"\#(other)"}"#)
        let id = try opened.json["room_id"]?.string ?? opened.text
        let sent = try await chat.call(
            "POST", "/v1/workspaces/3/dms/\(id)/chats", user: other,
            headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
            body: Upload.form([.png], []))
        return Room(id: id, file: try sent.json["files"]?[0]?.string ?? sent.text)
    }

    private static func leave(_ users: [Int64], in chat: ChatHarness) async throws {
        chat.peers.change { state in
            state.workspaces[3]?.subtract(users)
            state.channels[7]?.members.subtract(users)
        }
        for (index, user) in users.enumerated() {
            try await chat.publishFact(
                index + 1, "workspace.member.removed",
                #"{"workspace_id":"3","user_id":"\#(user)","version":\#(index + 2)}"#)
            try await chat.redis.command(
                "PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"\#(user)"}"#)
        }
        let last = users.last ?? 0
        try await eventually("the removal") {
            let left = try await chat.database.ask(
                "select count(*) from chat.removal where user_id = \(last) and kind = 2")
            let reply = try await chat.call("GET", "/v1/workspaces/3/channels/7/unreads", user: last)
            return left == "1" && reply.errorCode == "E13"
        }
    }

    /// The path of a row for a persona. An ex-member tries its own former DM.
    func path(_ row: AccessRow, number: Int, _ persona: Persona) -> String {
        let room = persona == .exMember ? formerRooms[number] : room
        return row.path
            .replacing("/static/channelChats/{name}", with: channelFile)
            .replacing("/static/dmChats/{name}", with: room.file)
            .replacing(/\/(search|find)$/) { $0.0 + "?q=a" }
            .replacing("{id}", with: "3")
            .replacing("{channel_id}", with: "7")
            .replacing("{name}", with: "general")
            .replacing("{room_id}", with: room.id)
            .replacing("{scheduled_id}", with: "999999")
            .replacing("{report_id}", with: "999999")
            .replacing("{command_id}", with: "999999")
            .replacing("{webhook_id}", with: "999999")
            .replacing("{subscription_id}", with: "999999")
            .replacing("{delivery_id}", with: "999999")
            .replacing("{user_id}", with: "\(Self.friend)")
            .replacing("{opponent_id}", with: "\(Self.friend)")
            .replacing("{seq}", with: "999999")
            .replacing("{emoji}", with: "%F0%9F%91%8D")
    }

    /// The user of a persona. The DM has the same owner and member in all rows; other rows have their own users.
    func user(_ persona: Persona, row: AccessRow, number: Int) -> Int64 {
        let isDM = row.route.contains("{room_id}") || row.route.contains("dmChats")
        return isDM && (persona == .owner || persona == .member)
            ? persona.rawValue : Self.user(persona, row: number)
    }
}
