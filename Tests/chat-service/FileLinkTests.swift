import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Signed URLs of files", .serialized)
struct FileLinkTests {
    /// Uploads a file to channel 7 and returns its path.
    private static func upload(_ chat: ChatHarness) async throws -> String {
        let sent = try await chat.upload([.png])
        return try sent.json["files"]?[0]?.string ?? ""
    }

    private static func links(_ chat: ChatHarness, _ paths: [String], user: Int64 = 1) async throws -> [String] {
        let list = paths.map { "\"\($0)\"" }.joined(separator: ",")
        let reply = try await chat.call(
            "POST", "/v1/static/channelChats/links", user: user, json: #"{"paths":[\#(list)]}"#)
        #expect(reply.status == 200, "\(reply.text)")
        return try reply.json["links"]?.elements.map { $0.compactMap { $0["url"]?.string } } ?? []
    }

    /// Loads a URL like an `<img>`: without an API key and a token.
    private static func load(_ chat: ChatHarness, _ url: String) async throws -> HTTPCall.Reply {
        try await chat.instances[0].call("GET", "/v1" + url, key: nil)
    }

    @Test("A signed URL loads a file without headers, in a page of any origin")
    func loads() async throws {
        try await ChatHarness.use { chat in
            let path = try await Self.upload(chat)
            let url = try #require(try await Self.links(chat, [path]).first)
            let reply = try await Self.load(chat, url)
            #expect(reply.status == 200 && reply.body == Upload.png.bytes)
            #expect(reply.headers["cross-origin-resource-policy"] == "cross-origin")
            let unsigned = try await Self.load(chat, path)
            #expect(unsigned.errorCode == "E01")
        }
    }

    @Test("A URL is bound to its file, user, session and time: each altered part is refused")
    func altered() async throws {
        try await ChatHarness.use { chat in
            let (path, other) = (try await Self.upload(chat), try await Self.upload(chat))
            let url = try #require(try await Self.links(chat, [path]).first)
            let altered = [
                url.replacing(path, with: other), url.replacing("user=1", with: "user=2"),
                url.replacing("session=", with: "session=1"), url.replacing("expires=1", with: "expires=2"),
                url.replacing("signature=", with: "signature=A"), String(url.dropLast(4)),
                url.replacing("&signature=", with: "&signature=&x="), url.replacing("user=1&", with: ""),
            ]
            for wrong in altered {
                #expect(wrong != url)
                let reply = try await Self.load(chat, wrong)
                #expect(reply.errorCode == "E02", "\(wrong): \(reply.text)")
            }
        }
    }

    @Test("Only members get URLs, and a former member of the channel cannot read by an earlier URL")
    func members() async throws {
        try await ChatHarness.use { chat in
            let path = try await Self.upload(chat)
            #expect(try await Self.links(chat, [path], user: 9).isEmpty)
            let foreign = [
                "/static/dmChats/a.png", "/static/channelChats/", "/static/channelChats/a/b", "x", path + "?a",
            ]
            #expect(try await Self.links(chat, foreign).isEmpty)
            let url = try #require(try await Self.links(chat, [path], user: 2).first)
            let before = try await Self.load(chat, url)
            #expect(before.status == 200)
            chat.peers.change { $0.channels[7]?.members = [1] }
            try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3"}"#)
            try await eventually("the end of access") { try await Self.load(chat, url).errorCode == "E13" }
        }
    }

    @Test("A URL ends with its session")
    func session() async throws {
        try await ChatHarness.use { chat in
            let path = try await Self.upload(chat)
            let url = try #require(try await Self.links(chat, [path]).first)
            try await chat.redis.command(
                "PUBLISH", "revocations", #"{"session":"1001","user_id":"1","at":\#(Timestamp.now.milliseconds)}"#)
            try await eventually("the end of the URL") { try await Self.load(chat, url).errorCode == "E05" }
        }
    }

    @Test("A URL ends with its lifetime")
    func ends() async throws {
        try await ChatHarness.use(["file_link_lifetime": "1s"]) { chat in
            let path = try await Self.upload(chat)
            let url = try #require(try await Self.links(chat, [path]).first)
            try await eventually("the end of the URL") { try await Self.load(chat, url).errorCode == "E05" }
        }
    }

    @Test("A call names at most 100 paths")
    func many() async throws {
        try await ChatHarness.use { chat in
            let many = Array(repeating: #""/static/channelChats/a_b.png""#, count: 101).joined(separator: ",")
            for paths in ["[\(many)]", #""x""#, "[1]", "null"] {
                let reply = try await chat.call(
                    "POST", "/v1/static/channelChats/links", json: #"{"paths":\#(paths)}"#)
                #expect(reply.errorCode == "E11", "\(paths.prefix(40))")
            }
        }
    }
}
