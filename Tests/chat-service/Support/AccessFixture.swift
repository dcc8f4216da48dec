import ServiceSupport
import TestSupport
import Wire

/// A workspace in which each persona is what its name says, for each row of the table of access someone else.
struct AccessFixture: Sendable {
    /// A member of the workspace whom anybody may write to.
    static let friend: Int64 = 7

    /// A DM with a file in it.
    private struct Room: Sendable {
        let id: String
        let file: String
    }

    private let channelFile: String
    /// Of owner and member.
    private let room: Room
    /// Of owner and the ex-members, who are one for each row.
    private let formerRooms: [Room]

    static func user(_ persona: Persona, row: Int) -> Int64 { persona.rawValue + Int64(10 * row) }

    /// Lets everybody come, and the ex-members go; returns when the service knows.
    static func make(in house: ChatHouse) async throws -> AccessFixture {
        let rows = AccessTable.rows.indices
        func users(_ persona: Persona) -> [Int64] { rows.map { user(persona, row: $0) } }
        let inside = users(.owner) + users(.member)
        let former = users(.exMember)
        house.peers.change { state in
            state.workspaces = [3: Set(inside + users(.observer) + former + [friend]), 4: Set(users(.otherWorkspace))]
            state.channels[7]?.members = Set(inside + former)
            state.channels[9]?.members = Set(users(.otherWorkspace))
        }
        let uploaded = try await house.upload([.png])
        let room = try await Self.room(of: 1, and: 2, in: house)
        var formerRooms: [Room] = []
        for user in former {
            formerRooms.append(try await Self.room(of: 1, and: user, in: house))
            // The caches know them.
            _ = try await house.history(user: user)
        }
        try await leave(former, in: house)
        return AccessFixture(
            channelFile: try uploaded.json["files"]?[0]?.string ?? "", room: room, formerRooms: formerRooms)
    }

    private static func room(of user: Int64, and other: Int64, in house: ChatHouse) async throws -> Room {
        let opened = try await house.call(
            "POST", "/v1/workspaces/3/dms", user: user, json: #"{"opponent_id":"\#(other)"}"#)
        let id = try opened.json["room_id"]?.string ?? opened.text
        let sent = try await house.call(
            "POST", "/v1/workspaces/3/dms/\(id)/chats", user: other,
            headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
            body: Upload.form([.png], []))
        return Room(id: id, file: try sent.json["files"]?[0]?.string ?? sent.text)
    }

    private static func leave(_ users: [Int64], in house: ChatHouse) async throws {
        house.peers.change { state in
            state.workspaces[3]?.subtract(users)
            state.channels[7]?.members.subtract(users)
        }
        for (place, user) in users.enumerated() {
            try await house.tell(
                place + 1, "workspace.member.removed",
                #"{"workspace_id":"3","user_id":"\#(user)","version":\#(place + 2)}"#)
            try await house.redis.command(
                "PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"\#(user)"}"#)
        }
        let last = users.last ?? 0
        try await eventually("leaving") {
            let left = try await house.database.ask(
                "select count(*) from chat.removal where user_id = \(last) and kind = 2")
            let reply = try await house.call("GET", "/v1/workspaces/3/channels/7/unreads", user: last)
            return left == "1" && reply.errorCode == "E13"
        }
    }

    /// The path of a row for a persona; an ex-member tries the DM that it was in.
    func path(_ row: AccessRow, number: Int, _ persona: Persona) -> String {
        let room = persona == .exMember ? formerRooms[number] : room
        return row.path
            .replacing("/static/channelChats/{name}", with: channelFile)
            .replacing("/static/dmChats/{name}", with: room.file)
            .replacing("{id}", with: "3")
            .replacing("{channel_id}", with: "7")
            .replacing("{name}", with: "general")
            .replacing("{room_id}", with: room.id)
            .replacing("{opponent_id}", with: "\(Self.friend)")
    }

    /// Rooms of two have their own two; all else has new people in each row.
    func user(_ persona: Persona, row: AccessRow, number: Int) -> Int64 {
        let isOfTwo = row.route.contains("{room_id}") || row.route.contains("dmChats")
        return isOfTwo && (persona == .owner || persona == .member)
            ? persona.rawValue : Self.user(persona, row: number)
    }
}
