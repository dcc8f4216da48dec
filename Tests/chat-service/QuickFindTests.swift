import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Quick find", .serialized)
struct QuickFindTests {
    private static func find(_ chat: ChatHarness, _ text: String, user: Int64 = 1) async throws -> JSONValue {
        try await chat.call(
            "GET", "/v1/workspaces/3/find?q=\(PercentEncoding.strict.encode(text))", user: user
        ).json
    }

    @Test("Names are found by prefix, substring and initial consonants, the best first")
    func names() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { peers in
                peers.nicknames = [1: "김민지", 2: "민지혜", 3: "박서준"]
                peers.channels[8] = PeersOfChat.Channel(workspace: 3, name: "민지네 방", members: [1])
            }
            let found = try await chat.call("GET", "/v1/workspaces/3/find?q=\(PercentEncoding.strict.encode("민지"))")
                .json
            #expect(found["users"]?.elements?.map { $0["nickname"]?.string } == ["민지혜", "김민지"])
            #expect(found["channels"]?.elements?.map { $0["name"]?.string } == ["민지네 방"])
            let initials = try await chat.call("GET", "/v1/workspaces/3/find?q=\(PercentEncoding.strict.encode("ㄱㅁㅈ"))")
                .json
            #expect(initials["users"]?.elements?.map { $0["nickname"]?.string } == ["김민지"])
        }
    }

    @Test("One's own channels come before others that one can see, and each kind has at most ten names")
    func channels() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { peers in
                peers.channels[8] = PeersOfChat.Channel(workspace: 3, name: "개발", members: [2])
                peers.channels[10] = PeersOfChat.Channel(workspace: 3, name: "서버 개발", members: [1])
                peers.channels[11] = PeersOfChat.Channel(workspace: 4, name: "개발 밖", members: [1])
            }
            let found = try await Self.find(chat, "ㄱㅂ")["channels"]?.elements.map(Array.init) ?? []
            #expect(found.map { $0["name"]?.string } == ["서버 개발", "개발"])
            #expect(found.map { $0["isMember"]?.bool } == [true, false])
            chat.peers.change { peers in
                for id in 20..<40 as Range<Int64> {
                    peers.channels[id] = PeersOfChat.Channel(
                        workspace: 3, name: "개발 \(id)", members: id < 26 ? [1] : [])
                }
            }
            let many = try await Self.find(chat, "개발")["channels"]?.elements.map(Array.init) ?? []
            #expect(many.count == 10)
            #expect(many.prefix(7).allSatisfy { $0["isMember"]?.bool == true })
            #expect(many.dropFirst(7).map { $0["name"]?.string } == ["개발", "개발 26", "개발 27"])
        }
    }

    @Test("DMs are found by the name of the other member, and DM partners come first among people with equal names")
    func dms() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.nicknames = [2: "김민지", 4: "김민지"] }
            let path = try await chat.dm(1, 4)
            let found = try await Self.find(chat, "ㄱㅁ")
            #expect(found["dms"]?.elements?.map { $0["user"]?["user_id"]?.string } == ["4"])
            #expect(found["dms"]?[0]?["room_id"]?.string == path.split(separator: "/").last.map(String.init))
            #expect(found["users"]?.elements?.map { $0["user_id"]?.string } == ["4", "2"])
            #expect(try await Self.find(chat, "ㄱㅁ", user: 2)["dms"]?.elements.map(Array.init)?.isEmpty == true)
        }
    }

    @Test("Invalid texts are refused", arguments: ["", "q=", "q=" + String(repeating: "a", count: 201)])
    func refusals(_ query: String) async throws {
        try await ChatHarness.use { chat in
            let reply = try await chat.call("GET", "/v1/workspaces/3/find?" + query)
            #expect(reply.errorCode == "E11")
        }
    }
}
