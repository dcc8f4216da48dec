import EventLoop
import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct ServerTests {
    @Test("A request gets its handler's reply, and the connection stays for the next one")
    func keepAlive() async throws {
        try await withServer { request in
            .json(Array("{\"path\":\"\(request.pathText)\"}".utf8))
        } body: { running in
            let client = try running.client()
            for path in ["/a", "/b?", "/c?x=1"] {
                try client.get(path)
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.text == "{\"path\":\"\(path.split(separator: "?")[0])\"}")
                #expect(reply["Content-Type"] == "application/json")
                #expect(reply["Date"]?.hasSuffix(" GMT") == true)
                #expect(reply["Connection"] == nil)
            }
        }
    }

    @Test("A handler sees the request as it was sent, undecoded")
    func asSent() async throws {
        try await withServer { request in
            let parts = [
                request.methodText, request.pathText, request.query.map { String(decoding: $0, as: UTF8.self) } ?? "-",
                String(decoding: request.host, as: UTF8.self), request.headers.text(.sesacKey) ?? "-",
                request.headers.all("X-Many").map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|"),
                request.peer?.host ?? "-",
            ]
            return Response(type: "text/plain", Array(parts.joined(separator: " ").utf8))
        } body: { running in
            let client = try running.client()
            try client.get("/v1/%EC%9D%BC%2Fx/..;?", "sesackey:  key \t", "X-Many: a", "X-MANY: b")
            #expect(try client.reply().text == "GET /v1/%EC%9D%BC%2Fx/..;  test key a|b 127.0.0.1")
            try client.send("BREW http://pot:80/a?b=c?d HTTP/1.1\r\nHost: POT:80\r\n\r\n")
            #expect(try client.reply().text == "BREW /a b=c?d POT:80 -  127.0.0.1")
            try client.send("GET http://pot HTTP/1.1\r\nHost: pot\r\n\r\n")
            #expect(try client.reply().text == "GET / - pot -  127.0.0.1")
            try client.send("OPTIONS * HTTP/1.1\r\nHost: pot\r\n\r\n")
            #expect(try client.reply().text == "OPTIONS * - pot -  127.0.0.1")
        }
    }

    @Test("Requests sent at once are answered in their order, whether handlers suspend or not")
    func pipelining() async throws {
        try await withServer { request in
            let number = Int(request.pathText.dropFirst()) ?? 0
            if number % 3 == 0 { try await EventLoop.current?.sleep(for: .milliseconds(number % 5)) }
            return Response(type: "text/plain", Array(request.pathText.utf8))
        } body: { running in
            let client = try running.client()
            try client.send((0..<500).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            for number in 0..<500 { #expect(try client.reply().text == "/\(number)") }
        }
    }

    @Test("Replies at once, streams and work come in the order of their requests, and no head is another's memory")
    func answers() async throws {
        let kept = Mutex<[Request]>([])
        try await withServer(answering: { request in
            // Who keeps a request finds it as it was, whatever is served after it.
            kept.withLock { $0.append(request) }
            let path = Array(request.pathText.utf8)
            switch (Int(request.pathText.dropFirst()) ?? 0) % 4 {
            case 0: return .work { Response(type: "text/plain", path) }
            case 1: return .reply(Response(body: .stream(length: nil) { try await $0.write(path) }))
            case 2:
                return .work {
                    await Task.yield()
                    return Response(body: .stream(length: path.count) { try await $0.write(path) })
                }
            default: return .reply(Response(type: "text/plain", path))
            }
        }) { running in
            let client = try running.client()
            try client.send((0..<400).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            for number in 0..<400 { #expect(try client.reply().text == "/\(number)") }
            #expect(kept.withLock { $0.map { $0.pathText } } == (0..<400).map { "/\($0)" })
        }
    }

    @Test("Bodies that nobody reads, and another protocol's bytes, stand between replies at once without harm")
    func rows() async throws {
        try await withServer(answering: { request in
            guard request.pathText != "/echo" else {
                return .reply(.upgrade(to: "echo") { EchoHandler(socket: $0) })
            }
            return .reply(Response(type: "text/plain", Array(request.path)))
        }) { running in
            let client = try running.client()
            func get(_ number: Int) -> String { "GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n" }
            func post(_ number: Int, _ lines: Int) -> String {
                let body = String(repeating: "GET /no HTTP/1.1\r\n\r\n", count: lines)
                return "POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            }
            // More than waits for a reader: what is left is read past.
            for _ in 0..<20 {
                try client.send(post(0, 3300) + post(1, 0) + post(2, 5))
                for number in 0..<3 { #expect(try client.reply().text == "/\(number)") }
            }
            let upgrade = "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\n\r\n"
            try client.send((0..<80).map { $0 % 4 == 0 ? post($0, $0) : get($0) }.joined() + upgrade + get(81))
            client.connection.finishSending()
            for number in 0..<80 { #expect(try client.reply().text == "/\(number)") }
            #expect(try client.reply().status == 101)
            #expect(try client.rest() == get(81))

            let sloppy = try running.client()
            try sloppy.send((0..<3).map(get).joined() + "GET / HTTP/1.1\r\n folded: x\r\n\r\n" + get(4))
            for number in 0..<3 { #expect(try sloppy.reply().text == "/\(number)") }
            #expect(try sloppy.reply().status == 400)
            #expect(try sloppy.rest() == "")
        }
    }

    @Test(
        "A client that sends without reading is held back, and answered when it reads",
        arguments: [(works: false, size: 20_000), (true, 20_000), (false, 4 << 20)])
    func boundedPipeline(works: Bool, size: Int) async throws {
        let served = Counter()
        try await withServer(answering: { _ in
            served.add()
            let response = Response(type: "text/plain", [UInt8](repeating: 65, count: size))
            return works ? .work { response } : .reply(response)
        }) { running in
            let client = try running.client()
            // 40 MB in all; a few large ones come in one piece, and are no reason to make all of their replies either.
            let count = 40_000_000 / size
            try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", count: count))
            // Replies wait in buffers of the kernel and at most a few here.
            var last = -1
            while served.value != last {
                last = served.value
                usleep(100_000)
            }
            #expect(last < count, "all \(count) replies were made for a client that reads none")
            for _ in 0..<count { #expect(try client.reply().body.count == size) }
            #expect(served.value == count)
        }
    }

    @Test("Files that nobody takes do not pile up open")
    func boundedFiles() async throws {
        let file = try TemporaryFile([UInt8](repeating: 65, count: 10_000_000))
        let served = Counter()
        try await withServer { _ in
            served.add()
            return Response(body: .file(file.open, offset: 0, length: 10_000_000))
        } body: { running in
            let client = try running.client()
            try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", count: 200))
            var last = -1
            while served.value != last {
                last = served.value
                usleep(100_000)
            }
            #expect(last < 50, "\(last) files are open for a client that reads none")
            for _ in 0..<20 { #expect(try client.reply().body.count == 10_000_000) }
        }
    }

    @Test("A connection of HTTP/1.0 closes unless the client asks to keep it")
    func version0() async throws {
        try await withServer { _ in
            .json([])
        } body: { running in
            let client = try running.client()
            try client.send("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            #expect(try client.reply()["Connection"] == "keep-alive")
            try client.send("GET / HTTP/1.0\r\n\r\n")
            let reply = try client.reply()
            #expect(reply["Connection"] == "close")
            #expect(try client.rest() == "")
        }
    }

    @Test("Connection: close is heard in any list and case, told back and done")
    func close() async throws {
        try await withServer { _ in
            .json([])
        } body: { running in
            let client = try running.client()
            try client.get("/", "Connection: te,  CLOSE")
            #expect(try client.reply()["Connection"] == "close")
            #expect(try client.rest() == "")
        }
    }

    @Test("HEAD gets the head of GET's reply and no body, and replies without one say so rightly")
    func bodiless() async throws {
        try await withServer { request in
            switch request.pathText {
            case "/304": Response(.notModified)
            case "/204": Response(.noContent)
            case "/stream": Response(body: .stream(length: 5) { try await $0.write(Array("hello".utf8)) })
            default: .json(Array("{}".utf8))
            }
        } body: { running in
            let client = try running.client()
            for path in ["/", "/stream"] {
                try client.send("HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.reply(toHead: true)["Content-Length"] == (path == "/" ? "2" : "5"))
            }
            for path in ["/304", "/204"] {
                try client.get(path)
                #expect(try client.reply()["Content-Length"] == nil)
            }
            try client.get("/")
            #expect(try client.reply().text == "{}")
        }
    }

    @Test("Neither a value nor a name can add a line to a reply, and framing is the server's own")
    func injection() async throws {
        try await withServer { request in
            var response = Response(type: "text/plain", Array("ok".utf8))
            response.headers.append(.location, "/a\r\nSet-Cookie: evil=1\r\n\r\n<html>\u{0}")
            response.headers.append(.contentLength, "999")
            response.headers.append(.connection, "upgrade")
            response.headers.append("transfer-encoding", "chunked")
            return response
        } body: { running in
            let client = try running.client()
            try client.get("/")
            let reply = try client.reply()
            #expect(reply["Set-Cookie"] == nil && reply["Transfer-Encoding"] == nil && reply["Connection"] == nil)
            #expect(reply["Content-Length"] == "2" && reply.text == "ok")
            #expect(reply["Location"] == "/a  Set-Cookie: evil=1    <html> ")
        }
    }

    @Test("What a handler throws becomes the refusal of its kind")
    func thrown() async throws {
        struct Failed: Error {}
        try await withServer { configuration in
            configuration.refuse = { refusal in
                if case .handlerFailed(let error) = refusal { #expect(error is Failed) }
                return Response(refusal.status, type: "text/plain", Array("refused".utf8))
            }
        } _: { request in
            if request.pathText == "/large" { throw BodyError.tooLarge }
            throw Failed()
        } body: { running in
            let client = try running.client()
            for (path, status) in [("/", 500), ("/large", 413), ("/", 500)] {
                try client.get(path)
                let reply = try client.reply()
                #expect(reply.status == status && reply.text == "refused")
            }
        }
    }

    @Test("Beyond the limit an idle connection gives up its place, the one that has been idle for longest")
    func idlePlaces() async throws {
        try await withServer {
            $0.connections = 3
        } _: { _ in
            .json([])
        } body: { running in
            let clients = try (0..<3).map { _ in try running.client() }
            for client in [clients[2], clients[0], clients[1]] {
                try client.get("/")
                #expect(try client.reply().status == 200)
                usleep(20_000)
            }
            let next = try running.client()
            try next.get("/")
            #expect(try next.reply().status == 200)
            #expect(try clients[2].rest() == "")
            for client in clients[..<2] {
                try client.get("/")
                #expect(try client.reply().status == 200)
            }
        }
    }

    @Test("Beyond the limit of busy connections a client is told so; when one ends, the next is served")
    func connectionLimit() async throws {
        let gate = Gate()
        let begun = Journal<Void>()
        try await withServer {
            $0.connections = 2
        } _: { request in
            begun.note(())
            try await gate.pass()
            return .json([])
        } body: { running in
            var clients = [try running.client(), try running.client()]
            for client in clients {
                try client.get("/")
                try begun.next()
            }
            let refused = try running.client()
            #expect(try refused.reply().status == 503)
            refused.connection.finishSending()
            #expect(try refused.rest() == "")
            gate.open()
            for client in clients { #expect(try client.reply().status == 200) }
            clients.removeLast()
            while running.server.connectionCount > 1 { usleep(1000) }
            let next = try running.client()
            try next.get("/")
            #expect(try next.reply().status == 200)
        }
    }

    @Test("Many connections on two loops are all served, and none is left behind")
    func manyConnections() async throws {
        try await withServer(loops: 2) { request in
            await Task.yield()
            return Response(type: "text/plain", Array(request.path))
        } body: { running in
            for _ in 0..<3 {
                let clients = try (0..<60).map { _ in try running.client() }
                for (number, client) in clients.enumerated() { try client.get("/\(number)") }
                for (number, client) in clients.enumerated() { #expect(try client.reply().text == "/\(number)") }
            }
            try running.waitUntilEmpty()
        }
    }
}
