import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Scheduled messages and blocks", .serialized)
struct ScheduledBlockTests {
    @Test(
        """
        R15: a scheduled message does not reach a member that has blocked its author; A17: the author cannot tell, and sees \
        it as sent
        """)
    func blocked() async throws {
        try await ChatHarness.use { chat in
            let dm = try await chat.dm(1, 2)
            let id = dm.split(separator: "/").last.map(String.init) ?? ""
            let at = Timestamp.now + .seconds(3600)
            let reply = try await chat.call("POST", "\(dm)/scheduled", json: #"{"content":"쪽지","at":"\#(at)"}"#)
            #expect(reply.status == 201, "\(reply.text)")
            chat.peers.change { $0.blocked = [2: [1]] }
            try await chat.redis.command("PUBLISH", "invalidate:blocks", #"{"user_id":"2","blocked":"1"}"#)
            let now = Timestamp.now.milliseconds
            try await chat.database.database.run(
                sql: "update chat.scheduled set (send_at, due_at) = (\(now), \(now))")
            try await eventually("the end of it") {
                try await chat.call("GET", "/v1/users/me/scheduled").json["items"]?.list.isEmpty == true
            }
            let own = try await chat.call("GET", "\(dm)/chats").json.list
            #expect(own.map { $0["content"]?.string } == ["쪽지"])
            let hidden = try await chat.call("GET", "\(dm)/chats", user: 2).json.list
            #expect(hidden.map { $0["content"]?.string } == [""])
            #expect(try await chat.decisions([2], seq: 1, room: "dm-\(id)").reasons == [2: "blocked"])
            let rooms = try await chat.call("GET", "/v1/workspaces/3/rooms", user: 2).text
            #expect(!rooms.contains(#""room_id":"\#(id)""#))
            #expect(try await chat.badges([2])[2]?.unread == 0)
            // A message that the author sends by hand has the same fate.
            let sent = try await chat.call("POST", "\(dm)/chats", json: #"{"content":"쪽지"}"#)
            #expect(sent.status == 201)
            let both = try await chat.call("GET", "\(dm)/chats", user: 2).json.list
            #expect(both.map { $0["content"]?.string } == ["", ""])
        }
    }
}
