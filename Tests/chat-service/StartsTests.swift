import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Starts of several sockets", .serialized)
struct StartsTests {
    @Test("The starts of several users in one call are those of each user alone")
    func joint() async throws {
        try await ChatHarness.use { chat in
            #expect(try await chat.send("hello @n2").status == 201)
            _ = try await chat.call("PUT", "\(ChatHarness.channel)/read", user: 3, json: #"{"seq":1}"#)
            let channels = #"[{"channel_id":"7","workspace_id":"3","name":"general"}]"#
            var each: [UserID: String] = [:]
            for user: Int64 in 1...3 {
                let reply = try await chat.instances[0].internalCall(
                    "POST", "/internal/users/\(user)/rooms", json: #"{"profile":"native","channels":\#(channels)}"#)
                each[UserID(user)] = reply.text
            }
            #expect(Set(each.values).count == 3)
            let users = (1...3).map { #"{"user_id":"\#($0)","channels":\#(channels)}"# }.joined(separator: ",")
            let reply = try await chat.instances[0].internalCall(
                "POST", "/internal/starts", json: #"{"profile":"native","users":[\#(users)]}"#)
            let starts = try #require(StartsReply(try reply.json)).starts
            let joint = Dictionary(starts.map { ($0.user, String(decoding: $0.rooms.encoded(), as: UTF8.self)) }) { $1 }
            #expect(joint == each)
        }
    }

    @Test("A start that cannot be read is missing, and if no start can be read the call fails")
    func missing() async throws {
        try await ChatHarness.use { chat in
            func starts(_ users: [Int64]) async throws -> HTTPCall.Reply {
                let list = users.map { #"{"user_id":"\#($0)","channels":[]}"# }.joined(separator: ",")
                return try await chat.instances[0].internalCall(
                    "POST", "/internal/starts", json: #"{"profile":"native","users":[\#(list)]}"#)
            }
            chat.peers.change { $0.unknown = [3] }
            let reply = try #require(StartsReply(try await starts([1, 3, 2]).json))
            #expect(Set(reply.starts.map(\.user)) == [UserID(1), UserID(2)])
            #expect(try await starts([3]).errorCode == "E13")
        }
    }

    @Test("A call leaves users with more rooms than its reply may have to other calls, where they are alone")
    func left() async throws {
        try await ChatHarness.use { chat in
            func starts(_ users: [(id: Int64, channels: Int64)]) async throws -> StartsReply {
                let list = users.map { user in
                    let channels = (0..<user.channels).map {
                        #"{"channel_id":"\#(7 + $0)","workspace_id":"3","name":"general"}"#
                    }
                    return #"{"user_id":"\#(user.id)","channels":[\#(channels.joined(separator: ","))]}"#
                }
                let json = #"{"profile":"native","users":[\#(list.joined(separator: ","))]}"#
                let reply = try await chat.instances[0].internalCall("POST", "/internal/starts", json: json)
                return try #require(StartsReply(try reply.json))
            }
            let both = try await starts([(id: 1, channels: 1000), (id: 2, channels: 1)])
            #expect(both.starts.count == 1 && both.left.count == 1)
            #expect(Set(both.starts.map(\.user) + both.left) == [UserID(1), UserID(2)])
            let alone = try await starts([(id: 1, channels: 1001)])
            #expect(alone.starts.map(\.user) == [UserID(1)] && alone.left.isEmpty)
        }
    }

    @Test("Starts for another profile, of no users, or of malformed ones are refused")
    func refusals() async throws {
        try await ChatHarness.use { chat in
            let many = [String](repeating: #"{"user_id":"1","channels":[]}"#, count: 1001).joined(separator: ",")
            for body in [
                "{}", #"{"profile":"native"}"#, #"{"profile":"native","users":[{"user_id":"x","channels":[]}]}"#,
                #"{"profile":"native","users":[{"user_id":"1"}]}"#, #"{"profile":"native","users":[\#(many)]}"#,
                #"{"profile":"no such","users":[]}"#,
                #"{"profile":"native","users":[{"user_id":"1","channels":[{"channel_id":"7"}]}]}"#,
            ] {
                let reply = try await chat.instances[0].internalCall("POST", "/internal/starts", json: body)
                #expect(reply.status == 422, "\(body.prefix(100))")
            }
        }
    }

    @Test("A start leaves out the oldest of long drafts, so that it fits into an event; the list of rooms has them all")
    func longDrafts() async throws {
        try await ChatHarness.use { chat in
            for number in 1...3 { #expect(try await chat.send("root \(number)").status == 201) }
            let long = String(repeating: "가", count: 10_000)
            let drafts = (1...3).map { #"{"content":"\#(long)","thread":\#($0)}"# } + [#"{"content":"the last"}"#]
            for draft in drafts {
                #expect(try await chat.call("PUT", "\(ChatHarness.channel)/draft", user: 1, json: draft).status == 200)
            }
            let channels = #"[{"channel_id":"7","workspace_id":"3","name":"general"}]"#
            let reply = try await chat.instances[0].internalCall(
                "POST", "/internal/starts",
                json: #"{"profile":"native","users":[{"user_id":"1","channels":\#(channels)}]}"#)
            let start = try #require(StartsReply(try reply.json)?.starts.first)
            let room = try JSONValue(parsing: try #require(start.rooms.rooms.first).summary)
            #expect(room["draft"]?["content"]?.string == "the last")
            #expect(room["threadDrafts"]?.array { $0["thread"]?.int } == [2, 3])
            #expect(room["draftsOmitted"]?.bool == true)
            let listed = try await chat.room("channel_id", "7")
            #expect(listed["threadDrafts"]?.array { $0["thread"]?.int } == [1, 2, 3])
            #expect(listed["draftsOmitted"] == nil)
        }
    }
}
