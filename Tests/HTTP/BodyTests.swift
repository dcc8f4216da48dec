import EventLoop
import Glibc
import HTTP
import TestSupport
import Testing

@Suite struct BodyTests {
    private static func echo(_ request: Request, upTo limit: Int = 1 << 20) async throws -> Response {
        Response(type: "text/plain", try await request.body.collect(upTo: limit))
    }

    @Test("A body reaches the handler whole, however it is cut, with Content-Length and in chunks")
    func whole() async throws {
        try await withServer {
            try await Self.echo($0)
        } body: { running in
            let client = try running.client()
            let body = String(repeating: "0123456789", count: 30_000)
            try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
            #expect(try client.reply().text == body)
            let chunks = "4\r\nwiki\r\n5;a=\"b\"\r\npedia\r\n00\r\nX: y\r\nZ:\r\n\r\n"
            try client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n" + chunks)
            #expect(try client.reply().text == "wikipedia")
            for byte in "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)".utf8 {
                try client.send([byte])
            }
            #expect(try client.reply().text == "wikipedia")
            try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
            #expect(try client.reply().text == "")
        }
    }

    @Test("Pieces arrive as they are sent, and a waiting reader holds the sender back")
    func pieces() async throws {
        let taken = Counter()
        let gate = Gate()
        try await withServer { request in
            try await gate.pass()
            for try await piece in request.body {
                #expect(piece.count <= 64 * 1024 && !piece.isEmpty)
                // Byte n of the body is n modulo 251.
                let start = taken.value
                for (index, byte) in [(0, piece[0]), (piece.count - 1, piece[piece.count - 1])] {
                    #expect(byte == UInt8((start + index) % 251))
                }
                taken.add(piece.count)
            }
            return .json([])
        } body: { running in
            let round = Array(0..<251 as Range<UInt8>)
            let body = [UInt8](repeatElement(round, count: 60_000).joined())
            let client = try running.client()
            let sent = Counter()
            let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n"
            let sender = client.sendInBackground(Array(head.utf8) + body, counting: sent)
            usleep(200_000)
            #expect(taken.value == 0)
            #expect(sent.value < body.count, "the whole body was taken though nobody reads it")
            gate.open()
            #expect(try client.reply().status == 200)
            #expect(taken.value == body.count)
            sender.join()
        }
    }

    @Test("A body beyond its reader's limit is refused, with Content-Length and in chunks")
    func tooLarge() async throws {
        try await withServer {
            $0.largestBody = 500_000
        } _: {
            try await Self.echo($0, upTo: 1000)
        } body: { running in
            for request in [
                "Content-Length: 1001\r\n\r\n" + String(repeating: "a", count: 1001),
                "Content-Length: 500001\r\n\r\n",
                "Content-Length: 999999999999999999\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n"
                    + String(repeating: "190\r\n\(String(repeating: "a", count: 400))\r\n", count: 3),
            ] {
                let client = try running.client()
                try client.send("POST / HTTP/1.1\r\nHost: x\r\n" + request)
                #expect(try client.reply().status == 413)
            }
        }
    }

    @Test("A client that sends far too much still receives the refusal")
    func refusalArrives() async throws {
        try await withServer {
            $0.largestBody = 1000
        } _: {
            try await Self.echo($0)
        } body: { running in
            for framing in ["Content-Length: 20000000", "Transfer-Encoding: chunked"] {
                let client = try running.client()
                try client.send("POST / HTTP/1.1\r\nHost: x\r\n\(framing)\r\n\r\n")
                if framing.hasPrefix("T") { try client.send("1312D00\r\n") }
                // The client writes everything before it reads.
                client.sendWhileTaken([UInt8](repeating: 65, count: 20_000_000))
                #expect(try client.reply().status == 413)
            }
        }
    }

    @Test("100 Continue is sent when the handler reads the body, and otherwise not")
    func expectContinue() async throws {
        try await withServer { request in
            if request.pathText == "/no" { return Response(.forbidden) }
            return Response(type: "text/plain", try await request.body.collect(upTo: 100))
        } body: { running in
            let client = try running.client()
            try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\n")
            #expect(try client.reply().status == 100)
            try client.send("hello")
            #expect(try client.reply().text == "hello")
            // A client that does not wait for it does not get it.
            try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello")
            #expect(try client.reply().text == "hello")
            // The server cannot know whether the body follows, so the connection ends.
            try client.send("POST /no HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 403 && reply["Connection"] == "close")
            client.connection.finishSending()
            #expect(try client.rest() == "")
        }
    }

    @Test("The unread rest of a short body is discarded, and the next request is served")
    func unreadBody() async throws {
        try await withServer { request in
            if request.pathText == "/first" {
                for try await _ in request.body { break }
            }
            return Response(type: "text/plain", Array(request.path))
        } body: { running in
            let client = try running.client()
            for path in ["/none", "/first"] {
                try client.send("POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\nbegin")
                #expect(try client.reply().text == path)
                try client.send(String(repeating: "x", count: 19_995))
                try client.get("/next")
                #expect(try client.reply().text == "/next")
            }
            // Also when all of it arrives in one piece.
            try client.send(
                "POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n" + String(repeating: "x", count: 20)
                    + "GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.reply().text == "/none")
            #expect(try client.reply().text == "/next")
            // For a long body, or one of unknown length, the connection closes.
            try client.send("POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbegin")
            #expect(try client.reply()["Connection"] == "close")
        }
    }

    @Test("The body of a client that disconnects ends with an error")
    func disconnected() async throws {
        let journal = Journal<BodyError?>()
        try await withServer { request in
            var pieces = request.body.makeAsyncIterator()
            _ = try await pieces.next()
            journal.note(nil)
            do throws(BodyError) {
                _ = try await request.body.collect(upTo: 1000)
            } catch {
                journal.note(error)
                throw error
            }
            return Response()
        } body: { running in
            for isReset in [false, true] {
                var client: Client? = try running.client()
                try client?.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegin")
                #expect(try journal.next() == nil)
                if isReset { client?.connection.resetWhenClosed() }
                client = nil
                #expect(try journal.next() == .disconnected)
            }
            try running.waitUntilEmpty()
        }
    }

    @Test("A body has one reader; a second one gets an error while the first waits")
    func secondReader() async throws {
        let second = Journal<String>()
        try await withServer { request in
            let body = request.body
            async let first = body.collect(upTo: 100)
            await Task.yield()
            do { second.note(String(decoding: try await body.collect(upTo: 100), as: UTF8.self)) } catch {
                second.note("\(error)")
            }
            return Response(type: "text/plain", try await first)
        } body: { running in
            let client = try running.client()
            try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n")
            #expect(try second.next() == "alreadyRead")
            try client.send("hello")
            #expect(try client.reply().text == "hello")
        }
    }
}
