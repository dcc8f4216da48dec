import EventLoop
import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct PipeliningTests {
    @Test("Pipelined requests are answered in order, whether handlers suspend or not")
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

    @Test("Replies and streams keep the order of their requests, and a retained request does not change")
    func answers() async throws {
        let kept = Mutex<[Request]>([])
        try await withServer { request in
            kept.withLock { $0.append(request) }
            let path = Array(request.pathText.utf8)
            switch (Int(request.pathText.dropFirst()) ?? 0) % 4 {
            case 0:
                await Task.yield()
                return Response(type: "text/plain", path)
            case 1: return Response(body: .stream(length: nil) { try await $0.write(path) })
            case 2:
                await Task.yield()
                return Response(body: .stream(length: path.count) { try await $0.write(path) })
            default: return Response(type: "text/plain", path)
            }
        } body: { running in
            let client = try running.client()
            try client.send((0..<400).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            for number in 0..<400 { #expect(try client.reply().text == "/\(number)") }
            #expect(kept.withLock { $0.map { $0.pathText } } == (0..<400).map { "/\($0)" })
        }
    }

    @Test("Pipelined requests may have unread bodies between them and another protocol's bytes after them")
    func rows() async throws {
        try await withServer { request in
            guard request.pathText != "/echo" else { return .upgrade(to: "echo") { EchoHandler(socket: $0) } }
            return Response(type: "text/plain", Array(request.path))
        } body: { running in
            let client = try running.client()
            func get(_ number: Int) -> String { "GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n" }
            func post(_ number: Int, _ lines: Int) -> String {
                let body = String(repeating: "GET /no HTTP/1.1\r\n\r\n", count: lines)
                return "POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            }
            // More than fits into the buffer: the rest is discarded.
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
        "A client that sends without reading is held back, and answered when it reads", arguments: [20_000, 4 << 20])
    func boundedPipeline(size: Int) async throws {
        let served = Counter()
        try await withServer { _ in
            served.add()
            return Response(type: "text/plain", [UInt8](repeating: 65, count: size))
        } body: { running in
            let client = try running.client()
            // 40 MB in all. Requests for the large replies arrive in one piece and must not all be answered at once.
            let count = 40_000_000 / size
            try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: x\r\n\r\n", count: count))
            // Replies wait in the buffers of the kernel, and at most a few in the server.
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

    @Test("A client that reads nothing does not make the server open many files")
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
}
