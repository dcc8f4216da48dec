import EventLoop
import Glibc
import HTTP
import TestSupport
import Testing

@Suite struct StreamedReplyTests {
    @Test("A body of unknown length is sent in chunks, and to an HTTP/1.0 client until the connection closes")
    func chunked() async throws {
        try await withServer { _ in
            Response(
                body: .stream(length: nil) { writer in
                    for piece in ["one ", "", "two ", "three"] {
                        try await writer.write(Array(piece.utf8))
                        await Task.yield()
                    }
                })
        } body: { running in
            let client = try running.client()
            for _ in 0..<2 {
                try client.get("/")
                let reply = try client.reply()
                #expect(reply["Transfer-Encoding"] == "chunked" && reply.text == "one two three")
            }
            let old = try running.client()
            try old.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let text = try old.rest()
            #expect(text.hasSuffix("\r\n\r\none two three") && !text.contains("chunked"))
            #expect(text.contains("Connection: close"))
        }
    }

    @Test("A writer waits for a slow reader, and continues when it reads")
    func backPressure() async throws {
        let written = Counter()
        let size = 40_000_000
        try await withServer { _ in
            Response(
                body: .stream(length: size) { writer in
                    for number in 0..<(size / 10_000) {
                        try await writer.write([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 10_000))
                        written.add(10_000)
                    }
                })
        } body: { running in
            let client = try running.client()
            try client.get("/")
            usleep(200_000)
            #expect(written.value < size, "all was written for a client that reads nothing")
            let body = try client.reply().body
            #expect(body.count == size)
            #expect(
                stride(from: 0, to: size, by: 9999).allSatisfy { body[$0] == UInt8(truncatingIfNeeded: $0 / 10_000) })
            try client.get("/")
            #expect(try client.reply().body.count == size)
        }
    }

    @Test("A client that disconnects ends the writer with an error")
    func disconnected() async throws {
        let journal = Journal<BodyError?>()
        try await withServer { _ in
            Response(
                body: .stream(length: nil) { writer in
                    do throws(BodyError) {
                        try await writer.write([1])
                        journal.note(nil)
                        while true { try await writer.write([UInt8](repeating: 1, count: 100_000)) }
                    } catch {
                        journal.note(error)
                        throw error
                    }
                })
        } body: { running in
            var client: Client? = try running.client()
            try client?.get("/")
            #expect(try journal.next() == nil)
            client = nil
            #expect(try journal.next() == .disconnected)
            try running.waitUntilEmpty()
        }
    }

    @Test("A body that breaks off, or is too short or too long, closes the connection without a valid end")
    func brokenOff() async throws {
        struct Failed: Error {}
        try await withServer { request in
            let isChunked = request.pathText.hasPrefix("/chunked")
            return Response(
                body: .stream(length: isChunked ? nil : 10) { writer in
                    try await writer.write(Array("begin".utf8))
                    if request.pathText.hasSuffix("throws") { throw Failed() }
                    if request.pathText == "/long" { try await writer.write([UInt8](repeating: 1, count: 6)) }
                })
        } body: { running in
            for path in ["/chunked-throws", "/throws", "/short", "/long"] {
                let client = try running.client()
                try client.get(path)
                let text = try client.rest()
                #expect(!text.hasSuffix("0\r\n\r\n") && !text.contains("500"), "\(path)")
            }
        }
    }

    @Test("Files are sent whole and in part to GET, and without bytes to HEAD")
    func files() async throws {
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 2) }
        let file = try TemporaryFile(content)
        try await withServer { request in
            let reply = FileReply(file.open, size: content.count, type: "image/png", tag: EntityTag("v1")!)
            return reply.response(to: request) ?? Response(.badRequest)
        } body: { running in
            let client = try running.client()
            try client.get("/")
            let whole = try client.reply()
            #expect(whole.body == content && whole["ETag"] == "\"v1\"" && whole["Accept-Ranges"] == "bytes")
            try client.get("/", "Range: bytes=1000000-1999999")
            let part = try client.reply()
            #expect(part.status == 206 && part.body == Array(content[1_000_000..<2_000_000]))
            #expect(part["Content-Range"] == "bytes 1000000-1999999/3000000")
            try client.get("/", "Range: bytes=3000000-")
            #expect(try client.reply().status == 400)
            try client.get("/", "If-None-Match: W/\"v1\"")
            let known = try client.reply()
            #expect(known.status == 304 && known["ETag"] == "\"v1\"")
            try client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.reply(toHead: true)["Content-Length"] == "3000000")
            try client.get("/", "Range: bytes=-1")
            #expect(try client.reply().body == [content[2_999_999]])
        }
    }
}

/// An unlinked temporary file.
struct TemporaryFile {
    let open: OpenFile

    init(_ content: [UInt8]) throws {
        var path = Array("/tmp/maru-file-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        unlink(path)
        open = OpenFile(descriptor: descriptor)
        let count = content.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == content.count else { throw NeverHappened(description: "a file of \(content.count) bytes") }
    }
}
