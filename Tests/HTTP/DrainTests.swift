import EventLoop
import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite("A server that drains")
struct DrainTests {
    @Test("Draining lets running requests finish, closes idle connections, and stops accepting")
    func drain() async throws {
        let gate = Gate()
        let begun = Journal<Void>()
        try await withServer(loops: 2) { request in
            if request.pathText == "/slow" {
                begun.note(())
                try await gate.pass()
            }
            return Response(type: "text/plain", Array(request.path))
        } body: { running in
            let idle = try running.client()
            try idle.get("/")
            #expect(try idle.reply().text == "/")
            let busy = try running.client()
            try busy.get("/slow")
            try begun.next()
            let done = running.drain(within: .seconds(600))
            #expect(try idle.rest() == "")
            while (try? running.client()) != nil { usleep(1000) }
            gate.open()
            let reply = try busy.reply()
            #expect(reply.text == "/slow" && reply["Connection"] == "close")
            try done.next()
            #expect(running.server.connectionCount == 0)
        }
    }

    @Test("A request that was sent before the drain is served")
    func drainServesWhatIsSent() async throws {
        for _ in 0..<20 {
            try await withServer { _ in
                .json([])
            } body: { running in
                let client = try running.client()
                try client.get("/")
                let done = running.drain(within: .seconds(600))
                #expect(try client.reply().status == 200)
                try done.next()
            }
        }
    }

    @Test("While a server drains, an idle connection stays open for a while, and its next reply ends it")
    func drainKeepsIdleConnections() async throws {
        try await withServer { _ in
            .json([])
        } body: { running in
            let clients = try (0..<2).map { _ in try running.client() }
            for client in clients {
                try client.get("/")
                #expect(try client.reply()["Connection"] == nil)
            }
            let done = running.drain(within: .seconds(600), idle: .seconds(600))
            while (try? running.client()) != nil { usleep(1000) }
            try clients[0].get("/")
            let last = try clients[0].reply()
            #expect(last.status == 200 && last["Connection"] == "close")
            #expect(try clients[0].rest() == "")
            // The last attempt to connect may still be on its way out.
            for _ in 0..<10_000 where running.server.connectionCount > 1 { usleep(1000) }
            #expect(running.server.connectionCount == 1)
            clients[1].connection.finishSending()
            try done.next()
        }
    }

    @Test("An idle connection is closed when the time for idle connections is over")
    func drainEndsIdleConnections() async throws {
        try await withServer { _ in
            .json([])
        } body: { running in
            let client = try running.client()
            try client.get("/")
            _ = try client.reply()
            let done = running.drain(within: .seconds(600), idle: .milliseconds(100))
            #expect(try client.rest() == "")
            try done.next()
        }
    }

    @Test(
        "A streamed reply that began before the drain is sent to its end, and its connection ends when it was idle",
        arguments: [Duration.zero, .milliseconds(20)])
    func drainEndsStreams(idle: Duration) async throws {
        let gate = Gate()
        let begun = Journal<Void>()
        try await withServer { _ in
            Response(
                body: .stream(length: nil) { writer in
                    begun.note(())
                    try await gate.pass()
                    try await writer.write(Array("all".utf8))
                })
        } body: { running in
            let client = try running.client()
            try client.get("/")
            try begun.next()
            let done = running.drain(within: .seconds(600), idle: idle)
            while (try? running.client()) != nil { usleep(1000) }
            gate.open()
            let reply = try client.reply()
            #expect(reply.text == "all" && reply["Connection"] == nil)
            #expect(try client.rest() == "")
            try done.next()
        }
    }

    @Test("Servers that replace each other on a shared address lose no connection")
    func replacement() async throws {
        let isOver = Mutex(false)
        try await withServer(loops: 2) { _ in
            .json([])
        } body: { running in
            defer { isOver.withLock { $0 = true } }
            let failures = Journal<String>()
            let callers = (0..<6).map { _ in
                BackgroundThread {
                    while !isOver.withLock(\.self) {
                        let start = ContinuousClock.now
                        do {
                            let client = try running.client()
                            try client.get("/")
                            _ = try client.reply()
                            // Otherwise the ports of closed connections run out.
                            client.connection.resetWhenClosed()
                        } catch {
                            // A server that drains waits a second for the first request of a connection, and no longer
                            // for that of a caller that stood still.
                            if ContinuousClock.now - start < .milliseconds(500) { failures.note("\(error)") }
                        }
                    }
                }
            }
            let address = SocketAddress(ip: "127.0.0.1", port: running.port)!
            var current = running
            for _ in 0..<10 {
                let next = Server(on: running.group) { _ in .json([]) }
                try next.start(at: address, isShared: true)
                try current.drain(within: .seconds(600)).next()
                current = RunningServer(server: next, group: running.group, port: running.port)
            }
            isOver.withLock { $0 = true }
            for caller in callers { caller.join() }
            #expect(failures.all == [])
            try current.drain(within: .seconds(600)).next()
        }
    }

    @Test("Draining closes unfinished connections after the limit and cancels their handlers")
    func drainDeadline() async throws {
        let journal = Journal<String>()
        try await withServer { _ in
            journal.note("begun")
            do {
                try await EventLoop.current?.sleep(for: .seconds(3600))
            } catch {
                journal.note("cancelled")
            }
            return Response()
        } body: { running in
            let client = try running.client()
            try client.get("/")
            #expect(try journal.next() == "begun")
            try running.drain(within: .milliseconds(200)).next()
            #expect(try journal.next() == "cancelled")
            #expect(try client.rest() == "")
        }
    }
}
