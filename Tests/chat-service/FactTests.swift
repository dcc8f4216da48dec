import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("What becomes of rooms", .serialized)
struct FactTests {
    private static func events(_ ear: RoomEar, of type: String) async throws -> [JSONValue] {
        let found = Mutex<[JSONValue]>([])
        try await eventually("\(type) in a room") {
            let heard = try await ear.heard().filter { $0["type"]?.string == type }
            found.withLock { $0 = heard }
            return !heard.isEmpty
        }
        return found.withLock(\.self)
    }

    @Test("A removal takes its place behind the newest message and is told once, however often the fact comes")
    func removal() async throws {
        try await ChatHouse.use { house in
            for number in 1...3 { _ = try await house.send("\(number)") }
            let ear = try RoomEar(house.redis)
            house.peers.change { $0.channels[7]?.members.remove(2) }
            let body = #"{"channel_id":"7","workspace_id":"3","name":"g","user_id":"2","version":5}"#
            try await house.tell(1, "channel.member.removed", body)
            let removed = try await Self.events(ear, of: "removed")
            #expect(removed.map { $0["after"]?.int } == [3])
            #expect(removed.first?["user_id"]?.string == "2")
            try await house.tell(1, "channel.member.removed", body)
            // Facts are heard in order: what this one does comes after what the repeated one would have done.
            try await house.tell(
                2, "channel.member.removed",
                #"{"channel_id":"7","workspace_id":"3","name":"g","user_id":"3","version":1}"#)
            let next = try await Self.events(ear, of: "removed")
            #expect(next.map { $0["user_id"]?.string } == ["3"])
        }
    }

    @Test("A deleted channel takes nothing more, its messages and files go, and gateways hear that it is closed")
    func deletedChannel() async throws {
        try await ChatHouse.use { house in
            let (file, text) = (Upload.png, "with a picture")
            let sent = try await house.upload([file], content: text)
            #expect(sent.status == 201)
            _ = try await house.history(user: 2, of: "7")
            let ear = try RoomEar(house.redis)
            // The access cache may not have heard yet.
            try await house.tell(1, "channel.deleted", #"{"channel_id":"7","workspace_id":"3","name":"g","version":2}"#)
            let closed = try await Self.events(ear, of: "closed")
            #expect(closed.map { $0["after"]?.int } == [1])
            let late = try await house.send("late")
            #expect(late.errorCode == "E13")
            try await eventually("erasing") {
                try await house.database.ask(
                    """
                    select (select count(*) from chat.message), (select count(*) from chat.file),
                        (select count(*) from chat.read_position)
                    """) == "0|0|0"
            }
            #expect(house.storedFiles.isEmpty)
        }
    }

    @Test("A deleted workspace takes its channels and DMs with it, and leaves those of others")
    func deletedWorkspace() async throws {
        try await ChatHouse.use { house in
            _ = try await house.send("one")
            let opened = try await house.call("POST", "/v1/workspaces/3/dms", json: #"{"opponent_id":"2"}"#)
            let room = try opened.json["room_id"]?.string ?? ""
            _ = try await house.call("POST", "/v1/workspaces/3/dms/\(room)/chats", json: #"{"content":"two"}"#)
            let other = try await house.call("POST", "/v1/workspaces/4/channels/9/chats", json: #"{"content":"three"}"#)
            #expect(other.status == 201)
            try await house.tell(1, "workspace.deleted", #"{"workspace_id":"3","version":2}"#)
            try await eventually("erasing") {
                try await house.database.ask(
                    "select (select string_agg(content, ',') from chat.message), (select count(*) from chat.dm)")
                    == "three|0"
            }
        }
    }

    @Test(
        "Who leaves the workspace leaves its DMs: the history stays, nothing is added, and coming back opens it again")
    func leaving() async throws {
        try await ChatHouse.use { house in
            let opened = try await house.call("POST", "/v1/workspaces/3/dms", json: #"{"opponent_id":"2"}"#)
            let chats = "/v1/workspaces/3/dms/\(try opened.json["room_id"]?.string ?? "")/chats"
            _ = try await house.call("POST", chats, json: #"{"content":"bye"}"#)
            try await house.tell(
                1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":3}"#)
            try await eventually("leaving") {
                try await house.call("POST", chats, json: #"{"content":"still there?"}"#).errorCode == "E13"
            }
            let history = try await house.call("GET", chats)
            #expect(try history.json[0]?["content"]?.string == "bye")
            try await house.tell(2, "workspace.member.added", #"{"workspace_id":"3","user_id":"2","version":4}"#)
            try await eventually("coming back") {
                try await house.call("POST", chats, json: #"{"content":"hello again"}"#).status == 201
            }
        }
    }

    @Test("Who has left the workspace reads none of its DMs any more, neither messages nor files nor lists")
    func leftBehind() async throws {
        try await ChatHouse.use { house in
            let opened = try await house.call("POST", "/v1/workspaces/3/dms", json: #"{"opponent_id":"2"}"#)
            let dm = "/v1/workspaces/3/dms/\(try opened.json["room_id"]?.string ?? "")"
            let sent = try await house.call(
                "POST", dm + "/chats", headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
                body: Upload.form([.png], []))
            let file = "/v1" + (try sent.json["files"]?[0]?.string ?? "")
            for path in [dm + "/chats", dm + "/unreads", file] {
                let reply = try await house.call("GET", path, user: 2)
                #expect(reply.status == 200, "\(path)")
            }
            house.peers.change { $0.workspaces[3]?.remove(2) }
            try await house.tell(1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":3}"#)
            try await eventually("leaving") {
                try await house.call("GET", dm + "/chats", user: 2).errorCode == "E13"
            }
            for path in [dm + "/unreads", file, "/v1/workspaces/3/dms", "/v1/workspaces/3/rooms"] {
                let reply = try await house.call("GET", path, user: 2)
                #expect(reply.errorCode == "E13", "\(path)")
            }
            let other = try await house.call("GET", file, user: 1)
            #expect(other.status == 200)
        }
    }

    @Test("A deleted channel that nobody had written in takes no first message either")
    func deletedSilent() async throws {
        try await ChatHouse.use { house in
            let ear = try RoomEar(house.redis)
            try await house.tell(1, "channel.deleted", #"{"channel_id":"8","workspace_id":"3","name":"r","version":2}"#)
            let closed = try await Self.events(ear, of: "closed")
            #expect(closed.map { $0["after"]?.int } == [0])
            // Who may enter is answered as before: the cache has not heard.
            let late = try await house.send("late", to: 8)
            #expect(late.errorCode == "E13")
            let count = try await house.database.ask("select count(*) from chat.message")
            #expect(count == "0")
        }
    }

    @Test("All facts told again, in any order of what is old and new, change nothing")
    func replay() async throws {
        try await ChatHouse.use { house in
            house.peers.change { $0.channels[8]?.members = [1, 2, 3] }
            for (user, opponent) in [(1, 2), (1, 3), (2, 4)] as [(Int64, Int64)] {
                let opened = try await house.call(
                    "POST", "/v1/workspaces/3/dms", user: user, json: #"{"opponent_id":"\#(opponent)"}"#)
                let chats = "/v1/workspaces/3/dms/\(try opened.json["room_id"]?.string ?? "")/chats"
                _ = try await house.call("POST", chats, user: user, json: #"{"content":"hi"}"#)
            }
            for channel in [7, 8] as [Int64] { _ = try await house.send("one", to: channel) }
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
            for (place, fact) in facts.enumerated() { try await house.tell(place + 1, fact.type, fact.body) }
            let state = """
                select (select json_agg(r order by kind, id) from chat.room r),
                    (select json_agg(d order by id) from chat.dm d),
                    (select json_agg(x order by kind, room, user_id) from chat.removal x),
                    (select json_agg(m order by id) from chat.message m)
                """
            func settled(_ name: String) async throws -> String {
                try await house.tell(
                    99, "channel.changed",
                    #"{"channel_id":"7","workspace_id":"3","name":"\#(name)","version":\#(name)}"#)
                // What was said in a closed room goes beside the facts.
                try await eventually("hearing all") {
                    try await house.database.ask(
                        """
                        select name, (select count(*) from chat.room where is_closed and not is_erased)
                        from chat.room where kind = 1 and id = 7
                        """) == name + "|0"
                }
                return try await house.database.ask(state).replacing(name, with: "")
            }
            let before = try await settled("5000001")
            let ear = try RoomEar(house.redis)
            for (place, fact) in (facts + facts.reversed()).enumerated() {
                try await house.tell(place % facts.count + 1, fact.type, fact.body)
            }
            let after = try await settled("5000002")
            #expect(after == before)
            let told = try await ear.heard().map { $0["type"]?.string ?? "" }
            #expect(!told.contains("removed"))
        }
    }
}
