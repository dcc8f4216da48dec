import EventLoop
import Glibc
import HTTP
import TestSupport
import Testing

@Suite struct ConnectionLimitTests {
    @Test("At the connection limit, the connection that has been idle for longest is closed for a new one")
    func idleConnections() async throws {
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

    @Test("At the limit of busy connections a client gets 503; when one of them ends, the next client is served")
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

    @Test("Upgraded connections count: at the limit the next client gets 503, and the refusal is reported")
    func upgradedConnections() async throws {
        let refusals = Journal<ConnectionRefusal>()
        try await withServer {
            $0.connections = 2
            $0.refusedConnection = { refusals.note($0) }
        } _: { request in
            .upgrade(to: "echo") { EchoHandler(socket: $0) }
        } body: { running in
            let clients = [try running.client(), try running.client()]
            for client in clients {
                try client.get("/", "Connection: Upgrade", "Upgrade: echo")
                #expect(try client.reply().status == 101)
            }
            #expect(try running.client().reply().status == 503)
            #expect(try refusals.next() == .limit)
            clients[0].connection.finishSending()
            #expect(try clients[0].rest() == "")
            while running.server.connectionCount > 1 { usleep(1000) }
            let next = try running.client()
            try next.get("/", "Connection: Upgrade", "Upgrade: echo")
            #expect(try next.reply().status == 101)
        }
    }

    @Test("Many connections on two loops are all served and all closed")
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
