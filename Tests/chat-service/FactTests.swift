import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Facts about rooms", .serialized)
struct FactTests {
    private static func events(_ listener: RoomEventListener, of type: String) async throws -> [JSONValue] {
        let found = Mutex<[JSONValue]>([])
        try await eventually("\(type) in a room") {
            let events = try await listener.events().filter { $0["type"]?.string == type }
            found.withLock { $0 = events }
            return !events.isEmpty
        }
        return found.withLock(\.self)
    }

    @Test("A removal is ordered after the newest message and published once, however often the fact arrives")
    func removal() async throws {
        try await ChatHarness.use { chat in
            for number in 1...3 { _ = try await chat.send("\(number)") }
            let listener = try RoomEventListener(chat.redis)
            chat.peers.change { $0.channels[7]?.members.remove(2) }
            let body = #"{"channel_id":"7","workspace_id":"3","name":"g","user_id":"2","version":5}"#
            try await chat.publishFact(1, "channel.member.removed", body)
            let removed = try await Self.events(listener, of: "removed")
            #expect(removed.map { $0["after"]?.int } == [3])
            #expect(removed.first?["user_id"]?.string == "2")
            try await chat.publishFact(1, "channel.member.removed", body)
            // Facts are processed in order, so the effect of this one follows any effect of the repeated one.
            try await chat.publishFact(
                2, "channel.member.removed",
                #"{"channel_id":"7","workspace_id":"3","name":"g","user_id":"3","version":1}"#)
            let next = try await Self.events(listener, of: "removed")
            #expect(next.map { $0["user_id"]?.string } == ["3"])
        }
    }

    @Test("A deleted channel accepts no messages, its messages and files are erased, and its closing is published")
    func deletedChannel() async throws {
        try await ChatHarness.use { chat in
            let (file, text) = (Upload.png, "with a picture")
            let sent = try await chat.upload([file], content: text)
            #expect(sent.status == 201)
            _ = try await chat.history(user: 2, of: "7")
            let listener = try RoomEventListener(chat.redis)
            // The access cache may still hold the channel.
            try await chat.publishFact(
                1, "channel.deleted", #"{"channel_id":"7","workspace_id":"3","name":"g","version":2}"#)
            let closed = try await Self.events(listener, of: "closed")
            #expect(closed.map { $0["after"]?.int } == [1])
            let late = try await chat.send("late")
            #expect(late.errorCode == "E13")
            try await eventually("the erasure") {
                try await chat.database.ask(
                    """
                    select (select count(*) from chat.message), (select count(*) from chat.file),
                        (select count(*) from chat.read_position)
                    """) == "0|0|0"
            }
            #expect(chat.storedFiles.isEmpty)
        }
    }

    @Test("Deleting a workspace erases its channels and DMs, and no others")
    func deletedWorkspace() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("one")
            let opened = try await chat.call("POST", "/v1/workspaces/3/dms", json: #"{"opponent_id":"2"}"#)
            let room = try opened.json["room_id"]?.string ?? ""
            _ = try await chat.call("POST", "/v1/workspaces/3/dms/\(room)/chats", json: #"{"content":"two"}"#)
            let other = try await chat.call("POST", "/v1/workspaces/4/channels/9/chats", json: #"{"content":"three"}"#)
            #expect(other.status == 201)
            try await chat.publishFact(1, "workspace.deleted", #"{"workspace_id":"3","version":2}"#)
            try await eventually("the erasure") {
                try await chat.database.ask(
                    "select (select string_agg(content, ',') from chat.message), (select count(*) from chat.dm)")
                    == "three|0"
            }
        }
    }

    @Test(
        "After one member leaves the workspace, a DM is read-only until that member returns")
    func leaving() async throws {
        try await ChatHarness.use { chat in
            let opened = try await chat.call("POST", "/v1/workspaces/3/dms", json: #"{"opponent_id":"2"}"#)
            let chats = "/v1/workspaces/3/dms/\(try opened.json["room_id"]?.string ?? "")/chats"
            _ = try await chat.call("POST", chats, json: #"{"content":"bye"}"#)
            try await chat.publishFact(
                1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":3}"#)
            try await eventually("the removal") {
                try await chat.call("POST", chats, json: #"{"content":"still there?"}"#).errorCode == "E13"
            }
            let history = try await chat.call("GET", chats)
            #expect(try history.json[0]?["content"]?.string == "bye")
            try await chat.publishFact(2, "workspace.member.added", #"{"workspace_id":"3","user_id":"2","version":4}"#)
            try await eventually("the return") {
                try await chat.call("POST", chats, json: #"{"content":"hello again"}"#).status == 201
            }
        }
    }

    @Test("A former member of the workspace reads none of its DMs, files and lists")
    func leftBehind() async throws {
        try await ChatHarness.use { chat in
            let opened = try await chat.call("POST", "/v1/workspaces/3/dms", json: #"{"opponent_id":"2"}"#)
            let dm = "/v1/workspaces/3/dms/\(try opened.json["room_id"]?.string ?? "")"
            let sent = try await chat.call(
                "POST", dm + "/chats", headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
                body: Upload.form([.png], []))
            let file = "/v1" + (try sent.json["files"]?[0]?.string ?? "")
            for path in [dm + "/chats", dm + "/unreads", file] {
                let reply = try await chat.call("GET", path, user: 2)
                #expect(reply.status == 200, "\(path)")
            }
            chat.peers.change { $0.workspaces[3]?.remove(2) }
            try await chat.publishFact(
                1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":3}"#)
            try await eventually("the removal") {
                try await chat.call("GET", dm + "/chats", user: 2).errorCode == "E13"
            }
            for path in [dm + "/unreads", file, "/v1/workspaces/3/dms", "/v1/workspaces/3/rooms"] {
                let reply = try await chat.call("GET", path, user: 2)
                #expect(reply.errorCode == "E13", "\(path)")
            }
            let other = try await chat.call("GET", file, user: 1)
            #expect(other.status == 200)
        }
    }

    @Test("A deleted channel without messages accepts no first message")
    func deletedSilent() async throws {
        try await ChatHarness.use { chat in
            let listener = try RoomEventListener(chat.redis)
            try await chat.publishFact(
                1, "channel.deleted", #"{"channel_id":"8","workspace_id":"3","name":"r","version":2}"#)
            let closed = try await Self.events(listener, of: "closed")
            #expect(closed.map { $0["after"]?.int } == [0])
            // The access cache and its peer still report the channel.
            let late = try await chat.send("late", to: 8)
            #expect(late.errorCode == "E13")
            let count = try await chat.database.ask("select count(*) from chat.message")
            #expect(count == "0")
        }
    }

    @Test("Repeated and reordered facts change nothing")
    func replay() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.channels[8]?.members = [1, 2, 3] }
            for (user, opponent) in [(1, 2), (1, 3), (2, 4)] as [(Int64, Int64)] {
                let opened = try await chat.call(
                    "POST", "/v1/workspaces/3/dms", user: user, json: #"{"opponent_id":"\#(opponent)"}"#)
                let chats = "/v1/workspaces/3/dms/\(try opened.json["room_id"]?.string ?? "")/chats"
                _ = try await chat.call("POST", chats, user: user, json: #"{"content":"hi"}"#)
            }
            for channel in [7, 8] as [Int64] { _ = try await chat.send("one", to: channel) }
            let facts: [(type: String, body: String)] = [
                ("channel.changed", #"{"channel_id":"7","workspace_id":"3","name":"first","version":2}"#),
                ("workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":3}"#),
                ("channel.changed", #"{"channel_id":"7","workspace_id":"3","name":"second","version":4}"#),
                ("workspace.member.added", #"{"workspace_id":"3","user_id":"2","version":5}"#),
                (
                    "channel.member.removed",
                    #"{"channel_id":"7","workspace_id":"3","name":"g","user_id":"3","version":6}"#
                ),
                ("workspace.member.removed", #"{"workspace_id":"3","user_id":"3","version":7}"#),
                ("channel.deleted", #"{"channel_id":"8","workspace_id":"3","name":"r","version":8}"#),
            ]
            for (place, fact) in facts.enumerated() { try await chat.publishFact(place + 1, fact.type, fact.body) }
            let state = """
                select (select json_agg(r order by kind, id) from chat.room r),
                    (select json_agg(d order by id) from chat.dm d),
                    (select json_agg(x order by kind, room, user_id) from chat.removal x),
                    (select json_agg(m order by id) from chat.message m)
                """
            func settled(_ name: String) async throws -> String {
                try await chat.publishFact(
                    99, "channel.changed",
                    #"{"channel_id":"7","workspace_id":"3","name":"\#(name)","version":\#(name)}"#)
                // The erasure of a closed room runs beside the facts.
                try await eventually("all facts") {
                    try await chat.database.ask(
                        """
                        select name, (select count(*) from chat.room where is_closed and not is_erased)
                        from chat.room where kind = 1 and id = 7
                        """) == name + "|0"
                }
                return try await chat.database.ask(state).replacing(name, with: "")
            }
            let before = try await settled("5000001")
            let listener = try RoomEventListener(chat.redis)
            for (place, fact) in (facts + facts.reversed()).enumerated() {
                try await chat.publishFact(place % facts.count + 1, fact.type, fact.body)
            }
            let after = try await settled("5000002")
            #expect(after == before)
            let types = try await listener.events().map { $0["type"]?.string ?? "" }
            #expect(!types.contains("removed"))
        }
    }
}
