import Contract
import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Files of messages", .serialized)
struct FileTests {
    private static func paths(_ reply: HTTPCall.Reply) throws -> [String] {
        try reply.json["files"]?.elements?.compactMap { $0.string } ?? []
    }

    @Test("Files are typed by their first bytes, named by us, and come back as they went")
    func roundTrip() async throws {
        try await ChatHouse.use { house in
            let sent = try await house.upload([.png, .pdf])
            #expect(sent.status == 201, "\(sent.text)")
            let paths = try Self.paths(sent)
            try #require(paths.count == 2)
            for (path, file) in zip(paths, [Upload.png, .pdf]) {
                let reply = try await house.call("GET", "/v1" + path)
                #expect(reply.status == 200)
                #expect(reply.body == file.bytes)
                #expect(reply.headers["x-content-type-options"] == "nosniff")
            }
            let picture = try await house.call("GET", "/v1" + paths[0])
            #expect(picture.headers["content-type"] == "image/png")
            #expect(picture.headers["content-disposition"]?.hasPrefix("inline") == true)
            let document = try await house.call("GET", "/v1" + paths[1])
            #expect(document.headers["content-type"] == "application/pdf")
            let disposition = document.headers["content-disposition"] ?? ""
            #expect(disposition.hasPrefix("attachment"))
            #expect(disposition.contains(PercentEncoding.strict.encode("내 보고서_1") + ".pdf"))
            #expect(!paths.contains { $0.contains("보고서") || $0.contains(" ") })
        }
    }

    @Test(
        "Documents are offered under the names that they came with, as long as a path may be, and shown by their kind")
    func names() async throws {
        try await ChatHouse.use { house in
            let zip = Array("PK\u{3}\u{4} rest".utf8)
            let families = String(repeating: "👨‍👩‍👧‍👦", count: 60)
            let cases: [(file: Upload, title: String, suffix: String)] = [
                (Upload(name: "보고서.docx", bytes: zip), "보고서.docx", "zip"),
                (Upload(name: "a.zip", bytes: zip), "a.zip", "zip"),
                (Upload(name: "REPORT.PDF", bytes: Upload.pdf.bytes), "REPORT.pdf", "pdf"),
                (Upload(name: "옛글.txt", bytes: [0xB0, 0xA1, 0xB3, 0xAA]), "옛글.txt", "txt"),
                (Upload(name: families + ".pdf", bytes: Upload.pdf.bytes), families.prefix(10) + ".pdf", "pdf"),
            ]
            for (file, title, suffix) in cases {
                let sent = try await house.upload([file])
                let path = try #require(try Self.paths(sent).first, "\(sent.text)")
                #expect(path.hasSuffix("." + suffix) && path.utf8.count < 900)
                let reply = try await house.call("GET", "/v1" + path)
                #expect(reply.body == file.bytes)
                let disposition = reply.headers["content-disposition"] ?? ""
                #expect(disposition == "attachment; filename*=UTF-8''" + PercentEncoding.strict.encode(title))
            }
        }
    }

    @Test("A client that has the file is told so; parts of it come as asked; impossible parts are refused")
    func validatorsAndRanges() async throws {
        try await ChatHouse.use { house in
            let path = "/v1" + (try Self.paths(try await house.upload([.png])).first ?? "")
            let whole = try await house.call("GET", path)
            let tag = whole.headers["etag"] ?? ""
            #expect(!tag.isEmpty)
            let unchanged = try await house.call("GET", path, headers: [("If-None-Match", tag)])
            #expect(unchanged.status == 304)
            #expect(unchanged.body.isEmpty)
            let part = try await house.call("GET", path, headers: [("Range", "bytes=2-5")])
            #expect(part.status == 206)
            #expect(part.body == Array(Upload.png.bytes[2...5]))
            #expect(part.headers["content-range"] == "bytes 2-5/\(Upload.png.bytes.count)")
            let beyond = try await house.call("GET", path, headers: [("Range", "bytes=1000-")])
            #expect(beyond.status == 416)
        }
    }

    @Test("What is no accepted type, too many or too large is refused and leaves nothing")
    func refusals() async throws {
        try await ChatHouse.use(["file_size": "4096"]) { house in
            let six = try await house.upload(Array(repeating: .png, count: 6))
            #expect(six.errorCode == "E11")
            let program = try await house.upload([.png, .program], content: "run me")
            #expect(program.errorCode == "E11")
            let large = try await house.upload([Upload(name: "a.txt", bytes: [UInt8](repeating: 97, count: 5000))])
            #expect(large.errorCode == "E11")
            let five = try await house.upload(Array(repeating: .png, count: 5))
            #expect(try five.json["seq"]?.int == 1)
            try await eventually("clearing up") { house.storedFiles.count == 5 }
            let rows = try await house.database.ask("select count(*) from chat.file")
            #expect(rows == "5")
        }
    }

    @Test("Files may be as large as the setting says, beyond what a body is otherwise")
    func largeFiles() async throws {
        try await ChatHouse.use(["file_size": "100MB"]) { house in
            func answer(_ length: Int) throws -> String {
                let connection = try RawConnection(port: house.instances[0].running.publicAddress.port)
                try connection.send(
                    """
                    POST /v1/workspaces/3/channels/7/chats HTTP/1.1\r\nHost: a\r\nSesacKey: native\r\nAuthorization: \
                    \(house.peers.tokens.token(user: 1, key: "native"))\r\nContent-Type: multipart/form-data; boundary=b\r
                    Content-Length: \(length)\r\nExpect: 100-continue\r\n\r\n
                    """)
                return try String(connection.receive(until: "\r\n").prefix(12))
            }
            let (whole, more) = (try answer(500 << 20), try answer(600 << 20))
            #expect(whole == "HTTP/1.1 100")
            #expect(more == "HTTP/1.1 400")
        }
    }

    @Test("An upload that breaks off leaves nothing")
    func aborted() async throws {
        try await ChatHouse.use { house in
            do {
                let connection = try RawConnection(port: house.instances[0].running.publicAddress.port)
                let body = Upload.form([Upload(name: "a.txt", bytes: [UInt8](repeating: 97, count: 1_000_000))], [])
                let token = house.peers.tokens.token(user: 1, key: "native")
                try connection.send(
                    "POST /v1/workspaces/3/channels/7/chats HTTP/1.1\r\nHost: a\r\nSesacKey: native\r\n"
                        + "Authorization: \(token)\r\nContent-Length: \(body.count)\r\n"
                        + "Content-Type: multipart/form-data; boundary=\(Upload.boundary)\r\n\r\n")
                try connection.send(Array(body.prefix(600_000)))
                try await eventually("an upload") { !house.storedFiles.isEmpty }
            }
            try await eventually("clearing up") { house.storedFiles.isEmpty }
            let rows = try await house.database.ask(
                "select (select count(*) from chat.file), (select count(*) from chat.message)")
            #expect(rows == "0|0")
        }
    }

    @Test("A message with files sent twice under one client_id has its files once; other files are another message")
    func twice() async throws {
        try await ChatHouse.use { house in
            let first = try await house.upload([.png], content: "a", clientID: "x")
            let second = try await house.upload([.png], content: "a", clientID: "x")
            #expect(try Self.paths(first) == Self.paths(second))
            #expect(house.storedFiles.count == 1)
            let other = try await house.upload([.pdf], content: "a", clientID: "x")
            #expect(other.status == 409)
            #expect(house.storedFiles.count == 1)
        }
    }

    @Test("Membership is looked at with each read: who is taken out reads no file any more")
    func membership() async throws {
        try await ChatHouse.use { house in
            let path = "/v1" + (try Self.paths(try await house.upload([.png])).first ?? "")
            let member = try await house.call("GET", path, user: 2)
            #expect(member.status == 200)
            let visitor = try await house.call("GET", path, user: 5)
            #expect(visitor.errorCode == "E13")
            let anonymous = try await house.instances[0].call("GET", path)
            #expect(anonymous.status == 401)
            house.peers.change { $0.channels[7]?.members.remove(2) }
            try await house.redis.command(
                "PUBLISH", "invalidate:access", #"{"workspace_id":"3","channel_id":"7","user_id":"2"}"#)
            try await eventually("forgetting") { try await house.call("GET", path, user: 2).errorCode == "E13" }
            let unknown = try await house.call("GET", "/v1/static/channelChats/image_\(path.suffix(5))", user: 1)
            #expect(unknown.errorCode == "E13")
        }
    }
}
