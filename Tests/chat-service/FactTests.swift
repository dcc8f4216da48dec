import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("What becomes of rooms", .serialized)
struct FactTests {
    private static func events(_ ear: RoomEar, of type: String) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        for _ in 0..<1000 where found.isEmpty {
            found = try await ear.heard().filter { $0["type"]?.string == type }
            if found.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        }
        return found
    }

    @Test("A removal takes its place behind the newest message and is told once, however often the fact comes")
    func removal() async throws {
        try await ChatHouse.use { house in
            for number in 1...3 { _ = try await house.send("\(number)") }
            let ear = try RoomEar(house.redis)
            house.peers.change { $0.channels[7]?.members.remove(2) }
            let body = #"{"channel_id":"7","workspace_id":"3","user_id":"2","version":5}"#
            try await house.tell(1, "channel.member.removed", body)
            let removed = try await Self.events(ear, of: "removed")
            #expect(removed.map { $0["after"]?.int } == [3])
            #expect(removed.first?["user_id"]?.string == "2")
            try await house.tell(1, "channel.member.removed", body)
            // Facts are heard in order: what this one does comes after what the repeated one would have done.
            try await house.tell(
                2, "channel.member.removed", #"{"channel_id":"7","workspace_id":"3","user_id":"3","version":1}"#)
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
}
