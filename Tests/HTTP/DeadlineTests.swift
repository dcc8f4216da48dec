import EventLoop
import Glibc
import HTTP
import TestSupport
import Testing

@Suite struct DeadlineTests {
    @Test("A head that drips in is cut off at its deadline with 408, on a new connection and on a kept one")
    func drippingHead() async throws {
        let limit = Duration.seconds(1).patiently
        try await withServer {
            $0.headTimeout = limit
        } _: { _ in
            .json([])
        } body: { running in
            for isKept in [false, true] {
                let client = try running.client()
                if isKept {
                    try client.get("/")
                    #expect(try client.reply().status == 200)
                    // The idle time is longer than the time limit of a head, which begins with the first byte.
                    usleep(UInt32(limit / .microseconds(1) * 1.2))
                }
                let start = ContinuousClock.now
                let drip = client.drip("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", every: 20_000)
                #expect(try client.reply().status == 408)
                let time = ContinuousClock.now - start
                #expect(time >= limit * 0.95 && time < .seconds(15).patiently, "\(time)")
                client.connection.finishSending()
                drip.join()
            }
        }
    }

    @Test("A silent connection is closed without a reply, whether it is new or idle")
    func idle() async throws {
        let idle = Duration.seconds(2).patiently
        try await withServer { configuration in
            configuration.headTimeout = idle
            configuration.idleTimeout = idle
        } _: { _ in
            .json([])
        } body: { running in
            #expect(try running.client().rest() == "")
            // One in use is kept for longer. While the machine stands still, none is in use: then another one tries.
            var isKept = false
            while !isKept {
                let client = try running.client()
                var (statuses, longest): ([Int?], Duration) = ([], .zero)
                for _ in 0..<4 {
                    let start = ContinuousClock.now
                    try? client.get("/")
                    statuses.append(try? client.reply().status)
                    usleep(UInt32(idle / .microseconds(1) * 0.3))
                    longest = max(longest, ContinuousClock.now - start)
                }
                isKept = statuses.allSatisfy { $0 == 200 }
                try #require(isKept || longest > idle / 2, "\(statuses)")
                if isKept { #expect(try client.rest() == "") }
            }
        }
    }

    @Test("A body that drips in is cut off, even if no pause is long")
    func drippingBody() async throws {
        let (errors, note) = AsyncStream<any Error>.makeStream()
        try await withServer { configuration in
            configuration.bodyGrace = .milliseconds(300)
            configuration.bodyRate = 10_000
        } _: { request in
            do {
                return Response(type: "text/plain", try await request.body.collect(upTo: 1 << 20))
            } catch {
                note.yield(error)
                throw error
            }
        } body: { running in
            for framing in ["Content-Length: 100000", "Transfer-Encoding: chunked"] {
                let client = try running.client()
                try client.send("POST / HTTP/1.1\r\nHost: x\r\n\(framing)\r\n\r\n")
                if framing.hasPrefix("T") { try client.send("FFFF\r\n") }
                let start = ContinuousClock.now
                let drip = client.drip("", every: 20_000)
                #expect(try client.reply().status == 408)
                #expect(ContinuousClock.now - start < .seconds(15).patiently)
                client.connection.finishSending()
                drip.join()
            }
        }
        note.finish()
        for await error in errors { #expect(error as? BodyError == .timeout) }
    }

    @Test("A body that keeps its rate may take longer than the grace period, and so may a slow reader")
    func steadyBody() async throws {
        let grace = Duration.milliseconds(1500).patiently
        // Twice the rate, for longer than the grace period.
        let piece = Int(20_000 * (grace / .seconds(1)) / 15)
        try await withServer { configuration in
            configuration.bodyGrace = grace
            configuration.bodyRate = 10_000
        } _: { request in
            var count = 0
            for try await piece in request.body {
                count += piece.count
                if request.pathText == "/slow" { try await EventLoop.current?.sleep(for: .milliseconds(200)) }
            }
            return Response(type: "text/plain", Array(String(count).utf8))
        } body: { running in
            // While the machine stands still, no body keeps its rate: then another one is sent.
            var isWhole = false
            while !isWhole {
                let client = try running.client()
                var longest = Duration.zero
                try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(20 * piece)\r\n\r\n")
                for _ in 0..<20 {
                    let start = ContinuousClock.now
                    try? client.send([UInt8](repeating: 1, count: piece))
                    usleep(UInt32(grace / .microseconds(1) / 15))
                    longest = max(longest, ContinuousClock.now - start)
                }
                let text = try? client.reply().text
                isWhole = text == "\(20 * piece)"
                try #require(isWhole || longest > grace / 2, "\(text ?? "no reply")")
            }
            var isRead = false
            for _ in 0..<3 where !isRead {
                let client = try running.client()
                try client.send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 600000\r\n\r\n")
                try? client.send([UInt8](repeating: 1, count: 600_000))
                isRead = (try? client.reply().text) == "600000"
            }
            #expect(isRead)
        }
    }

    @Test("A client that does not read its reply is cut off, and one that reads slowly is not")
    func unreadReply() async throws {
        let (size, timeout) = (30_000_000, Duration.milliseconds(1500).patiently)
        try await withServer {
            $0.writeTimeout = timeout
        } _: { request in
            request.pathText == "/stream"
                ? Response(
                    body: .stream(length: size) { writer in
                        for _ in 0..<300 { try await writer.write([UInt8](repeating: 65, count: size / 300)) }
                    })
                : Response(type: "text/plain", [UInt8](repeating: 65, count: size))
        } body: { running in
            for path in ["/", "/stream"] {
                let stuck = try running.client()
                try stuck.get(path)
                let start = ContinuousClock.now
                while running.server.connectionCount > 0 { usleep(5000) }
                #expect(ContinuousClock.now - start < .seconds(15).patiently)

                // Nothing is read while the machine stands still; afterwards another client reads slowly.
                var count = 0
                while count < size {
                    let slow = try running.client()
                    try slow.get(path)
                    count = 0
                    var longest = Duration.zero
                    while count < size {
                        let start = ContinuousClock.now
                        usleep(100_000)
                        let piece = try slow.connection.receive(atMost: 1_500_000)
                        longest = max(longest, ContinuousClock.now - start)
                        if piece.isEmpty { break }
                        count += piece.count
                    }
                    try #require(count > size || longest > timeout / 2, "cut off after \(count) bytes")
                }
            }
        }
    }

    @Test("A refused client that keeps sending is disconnected after the linger time")
    func lingering() async throws {
        try await withServer {
            $0.lingerTimeout = .milliseconds(200)
        } _: { _ in
            .json([])
        } body: { running in
            let client = try running.client()
            try client.send("NONSENSE\r\n\r\n")
            #expect(try client.reply().status == 400)
            let drip = client.drip("", every: 10_000)
            let start = ContinuousClock.now
            while running.server.connectionCount > 0 { usleep(1000) }
            #expect(ContinuousClock.now - start < .seconds(15).patiently)
            drip.join()
        }
    }

    @Test("A handler may take longer than any time-out of its client")
    func slowHandler() async throws {
        let limit = Duration.seconds(1).patiently
        try await withServer { configuration in
            configuration.headTimeout = limit
            configuration.idleTimeout = limit
            configuration.bodyGrace = limit
        } _: { request in
            _ = try await request.body.collect(upTo: 100)
            try await EventLoop.current?.sleep(for: limit * 2.5)
            return .json([])
        } body: { running in
            let client = try running.client()
            try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try client.reply().status == 200)
        }
    }
}
