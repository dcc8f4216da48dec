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

    @Test("Files get their type from their first bytes and a random name, and load unchanged")
    func roundTrip() async throws {
        try await ChatHarness.use { chat in
            let sent = try await chat.upload([.png, .pdf])
            #expect(sent.status == 201, "\(sent.text)")
            let paths = try Self.paths(sent)
            try #require(paths.count == 2)
            for (path, file) in zip(paths, [Upload.png, .pdf]) {
                let reply = try await chat.call("GET", "/v1" + path)
                #expect(reply.status == 200)
                #expect(reply.body == file.bytes)
                #expect(reply.headers["x-content-type-options"] == "nosniff")
            }
            let image = try await chat.call("GET", "/v1" + paths[0])
            #expect(image.headers["content-type"] == "image/png")
            #expect(image.headers["content-disposition"]?.hasPrefix("inline") == true)
            let document = try await chat.call("GET", "/v1" + paths[1])
            #expect(document.headers["content-type"] == "application/pdf")
            let disposition = document.headers["content-disposition"] ?? ""
            #expect(disposition.hasPrefix("attachment"))
            #expect(disposition.contains(PercentEncoding.strict.encode("내 보고서_1") + ".pdf"))
            #expect(!paths.contains { $0.contains("보고서") || $0.contains(" ") })
        }
    }

    @Test("With direct reads a native client is redirected to the bucket, and a shipped app gets the bytes")
    func directReads() async throws {
        let bucket = try await SeaweedServer.ofThisProcess()
        let settings = [
            "s3_bucket": "direct", "s3_endpoint": bucket.url, "s3_access_key": SeaweedServer.accessKey,
            "s3_secret_key": SeaweedServer.secretKey, "s3_direct_reads": "60s",
        ]
        try await ChatHarness.use(settings) { chat in
            let path = "/v1" + (try #require(try Self.paths(try await chat.upload([.pdf])).first))
            let reply = try await chat.call("GET", path)
            #expect(reply.status == 302)
            #expect(reply.headers["cache-control"] == "private, max-age=30")
            let head = try await chat.call("HEAD", path)
            #expect(head.status == 200 && head.headers["content-length"] == "\(Upload.pdf.bytes.count)")
            let url = try #require(reply.headers["location"])
            try #require(url.hasPrefix(bucket.url))
            let file = try await HTTPCall.get(port: bucket.port, String(url.dropFirst(bucket.url.count)))
            #expect(file.status == 200)
            #expect(file.body == Upload.pdf.bytes)
            #expect(file.headers["content-disposition"]?.hasPrefix("attachment; filename") == true)
            for key in ["collatalk", "sooda"] {
                let shipped = try await chat.call("GET", path, key: key)
                #expect(shipped.status == 200)
                #expect(shipped.body == Upload.pdf.bytes)
            }
            // A stranger is not told where the file is.
            let stranger = try await chat.call("GET", path, user: 9_999)
            #expect(stranger.status != 302)
        }
    }

    @Test(
        "Documents are offered under their original names, shortened to fit a path, with the suffix of their type")
    func names() async throws {
        try await ChatHarness.use { chat in
            let zip = Array("PK\u{3}\u{4} rest".utf8)
            let families = String(repeating: "👨‍👩‍👧‍👦", count: 60)
            let long = String(repeating: "가", count: 90)
            let cases: [(file: Upload, title: String, suffix: String)] = [
                (Upload(name: "보고서.docx", bytes: zip), "보고서.docx", "zip"),
                (Upload(name: "a.zip", bytes: zip), "a.zip", "zip"),
                (Upload(name: "REPORT.PDF", bytes: Upload.pdf.bytes), "REPORT.pdf", "pdf"),
                (Upload(name: "옛글.txt", bytes: [0xB0, 0xA1, 0xB3, 0xAA]), "옛글.txt", "txt"),
                (Upload(name: families + ".pdf", bytes: Upload.pdf.bytes), families.prefix(10) + ".pdf", "pdf"),
                (Upload(name: long + ".docx", bytes: zip), long.prefix(83) + ".docx", "zip"),
                // Sooda encodes names and repeats the suffix.
                (
                    Upload(name: "%ED%9A%8C%EC%9D%98%EB%A1%9D.pdf.pdf", bytes: Upload.pdf.bytes), "회의록.pdf", "pdf"
                ),
                (Upload(name: "100%.pdf", bytes: Upload.pdf.bytes), "100%.pdf", "pdf"),
                (Upload(name: "a%2Fb%00.pdf", bytes: Upload.pdf.bytes), "a%2Fb%00.pdf", "pdf"),
                (Upload(name: "..%2F..%2Fpasswd.pdf", bytes: Upload.pdf.bytes), "passwd.pdf", "pdf"),
            ]
            for (file, title, suffix) in cases {
                let sent = try await chat.upload([file])
                let path = try #require(try Self.paths(sent).first, "\(sent.text)")
                #expect(path.hasSuffix("." + suffix) && path.utf8.count < 900)
                // The label that Sooda shows.
                let label = path.split(separator: "/").last?.prefix { $0 != "_" } ?? ""
                #expect(!title.hasPrefix("회의록") || PercentEncoding.decode(String(label)) == "회의록.pdf")
                let reply = try await chat.call("GET", "/v1" + path)
                #expect(reply.body == file.bytes)
                let disposition = reply.headers["content-disposition"] ?? ""
                #expect(disposition == "attachment; filename*=UTF-8''" + PercentEncoding.strict.encode(title))
            }
        }
    }

    @Test("Files support ETags and ranges; an unsatisfiable range is refused")
    func validatorsAndRanges() async throws {
        try await ChatHarness.use { chat in
            let path = "/v1" + (try Self.paths(try await chat.upload([.png])).first ?? "")
            let whole = try await chat.call("GET", path)
            let tag = whole.headers["etag"] ?? ""
            #expect(!tag.isEmpty)
            let unchanged = try await chat.call("GET", path, headers: [("If-None-Match", tag)])
            #expect(unchanged.status == 304)
            #expect(unchanged.body.isEmpty)
            let part = try await chat.call("GET", path, headers: [("Range", "bytes=2-5")])
            #expect(part.status == 206)
            #expect(part.body == Array(Upload.png.bytes[2...5]))
            #expect(part.headers["content-range"] == "bytes 2-5/\(Upload.png.bytes.count)")
            let beyond = try await chat.call("GET", path, headers: [("Range", "bytes=1000-")])
            #expect(beyond.status == 416)
        }
    }

    @Test("Files of unaccepted types, too many files and too large files are refused and leave nothing behind")
    func refusals() async throws {
        try await ChatHarness.use(["file_size": "4096"]) { chat in
            let six = try await chat.upload(Array(repeating: .png, count: 6))
            #expect(six.errorCode == "E11")
            let program = try await chat.upload([.png, .program], content: "run me")
            #expect(program.errorCode == "E11")
            let large = try await chat.upload([Upload(name: "a.txt", bytes: [UInt8](repeating: 97, count: 5000))])
            #expect(large.errorCode == "E11")
            // A picture of 20,000 × 20,000 pixels, of which a hundred bytes are here.
            let head = "PNG\r\n\u{1A}\n\0\0\0\rIHDR".utf8 + [0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20, 8, 2, 0, 0, 0]
            let vast = Upload(name: "vast.png", bytes: [0x89] + head + Array(repeating: 0, count: 70))
            #expect(try await chat.upload([vast]).errorCode == "E11")
            let five = try await chat.upload(Array(repeating: .png, count: 5))
            #expect(try five.json["seq"]?.int == 1)
            try await eventually("the cleanup") { chat.storedFiles.count == 5 }
            let rows = try await chat.database.ask("select count(*) from chat.file")
            #expect(rows == "5")
        }
    }

    @Test("The files of a user and of a workspace have a limited size, and deleted files free it")
    func storage() async throws {
        let size = Upload.png.bytes.count
        try await ChatHarness.use(["user_storage": "\(2 * size)", "workspace_storage": "\(3 * size)"]) { chat in
            func send(_ count: Int, _ user: Int64) async throws -> String {
                let reply = try await chat.upload(Array(repeating: .png, count: count), user: user)
                return reply.status == 201 ? "ok" : reply.errorCode
            }
            #expect(try await send(3, 1) == "E11", "the limit of a user")
            let used = try await chat.database.ask("select coalesce(sum(bytes), 0) from chat.storage")
            #expect(used == "0")
            #expect(try await send(1, 1) == "ok")
            #expect(try await send(1, 1) == "ok")
            #expect(try await send(1, 1) == "E11", "the limit of a user")
            #expect(try await send(2, 2) == "E11", "the limit of a workspace")
            #expect(try await send(1, 2) == "ok")
            // Text needs no storage.
            let text = try await chat.send("hello")
            #expect(text.status == 201)
            #expect(chat.storedFiles.count == 3)
            try await chat.publishFact(
                1, "workspace.deleted", #"{"workspace_id":"3","version":9}"#)
            try await eventually("the removal of the workspace's files") {
                let left = try await chat.database.ask("select coalesce(sum(bytes), 0) from chat.storage")
                return left == "0" && chat.storedFiles.isEmpty
            }
        }
    }

    @Test("The file_size setting raises the limit of a body")
    func largeFiles() async throws {
        try await ChatHarness.use(["file_size": "100MB"]) { chat in
            func answer(_ length: Int) throws -> String {
                let connection = try RawConnection(port: chat.instances[0].running.publicAddress.port)
                try connection.send(
                    """
                    POST /v1/workspaces/3/channels/7/chats HTTP/1.1\r\nHost: a\r\nSesacKey: native\r\nAuthorization: \
                    \(chat.peers.tokens.token(user: 1, key: "native"))\r\nContent-Type: multipart/form-data; boundary=b\r
                    Content-Length: \(length)\r\nExpect: 100-continue\r\n\r\n
                    """)
                return try String(connection.receive(until: "\r\n").prefix(12))
            }
            let (whole, more) = (try answer(500 << 20), try answer(600 << 20))
            #expect(whole == "HTTP/1.1 100")
            #expect(more == "HTTP/1.1 400")
        }
    }

    @Test("An interrupted upload leaves nothing behind")
    func aborted() async throws {
        try await ChatHarness.use { chat in
            do {
                let connection = try RawConnection(port: chat.instances[0].running.publicAddress.port)
                let body = Upload.form([Upload(name: "a.txt", bytes: [UInt8](repeating: 97, count: 1_000_000))], [])
                let token = chat.peers.tokens.token(user: 1, key: "native")
                try connection.send(
                    "POST /v1/workspaces/3/channels/7/chats HTTP/1.1\r\nHost: a\r\nSesacKey: native\r\n"
                        + "Authorization: \(token)\r\nContent-Length: \(body.count)\r\n"
                        + "Content-Type: multipart/form-data; boundary=\(Upload.boundary)\r\n\r\n")
                try connection.send(Array(body.prefix(600_000)))
                try await eventually("an upload") { !chat.storedFiles.isEmpty }
            }
            try await eventually("the cleanup") { chat.storedFiles.isEmpty }
            let rows = try await chat.database.ask(
                "select (select count(*) from chat.file), (select count(*) from chat.message)")
            #expect(rows == "0|0")
        }
    }

    @Test("A repeated send with files stores them once; the same client_id with other files is rejected")
    func twice() async throws {
        try await ChatHarness.use { chat in
            let first = try await chat.upload([.png], content: "a", clientID: "x")
            let second = try await chat.upload([.png], content: "a", clientID: "x")
            #expect(try Self.paths(first) == Self.paths(second))
            #expect(chat.storedFiles.count == 1)
            let other = try await chat.upload([.pdf], content: "a", clientID: "x")
            #expect(other.status == 409)
            #expect(chat.storedFiles.count == 1)
        }
    }

    @Test("Membership is checked on each read: a removed member can no longer load files")
    func membership() async throws {
        try await ChatHarness.use { chat in
            let path = "/v1" + (try Self.paths(try await chat.upload([.png])).first ?? "")
            let member = try await chat.call("GET", path, user: 2)
            #expect(member.status == 200)
            let visitor = try await chat.call("GET", path, user: 5)
            #expect(visitor.errorCode == "E13")
            let anonymous = try await chat.instances[0].call("GET", path)
            #expect(anonymous.status == 401)
            chat.peers.change { $0.channels[7]?.members.remove(2) }
            try await chat.redis.command(
                "PUBLISH", "invalidate:access", #"{"workspace_id":"3","channel_id":"7","user_id":"2"}"#)
            try await eventually("the removal") { try await chat.call("GET", path, user: 2).errorCode == "E13" }
            let unknown = try await chat.call("GET", "/v1/static/channelChats/image_\(path.suffix(5))", user: 1)
            #expect(unknown.errorCode == "E13")
        }
    }
}
