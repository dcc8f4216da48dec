import Contract
import EventLoop
import HTTP
import Telemetry
import Testing
import Wire

@Suite("A client of an internal API")
struct InternalClientTests {
    @Test("A call goes out with the id and the trace of the call that is served, and with the credential")
    func context() async throws {
        let peer = try Peer { _ in .json(Array("{}".utf8)) }
        let ids = IDSource(for: peer.loops)
        let context = CallContext(id: RequestID(from: ids), trace: TraceContext(from: ids, isSampled: true))
        try await peer.ask { client in
            _ = try await CallContext.$current.withValue(context) { try await client.get("/internal/a") }
            _ = try await CallContext.$current.withValue(context) { try await client.tell("/internal/b") }
            _ = try await client.get("/internal/c")
        }
        let asked = peer.asked
        #expect(asked.map(\.path) == ["/internal/a", "/internal/b", "/internal/c"])
        #expect(asked.map(\.credential) == Array(repeating: "Bearer secret", count: 3))
        #expect(asked.map(\.id) == [context.id.description, context.id.description, nil])
        #expect(asked.map(\.trace) == [context.trace?.traceparent, context.trace?.traceparent, nil])
        await peer.stop()
    }

    @Test("A read that fails is tried once more, a write is not")
    func retries() async throws {
        let peer = try Peer { number in
            number % 2 == 1 ? Response(.serviceUnavailable) : .json(Array(#"{"ok":true}"#.utf8))
        }
        try await peer.ask { client in
            let read = try await client.get("/internal/a")
            let asked = try await client.ask("/internal/b") { $0.field("a", 1) }
            #expect(read["ok"]?.bool == true && asked["ok"]?.bool == true)
            await #expect(throws: Failure.unavailable) { try await client.tell("/internal/c") }
        }
        #expect(peer.asked.map(\.path) == ["/internal/a", "/internal/a", "/internal/b", "/internal/b", "/internal/c"])
        await peer.stop()
    }

    @Test("A call ends at its deadline, its second attempt included")
    func deadline() async throws {
        let peer = try Peer { _ in
            try await Task.sleep(for: .seconds(60))
            return Response()
        }
        let clock = ContinuousClock()
        try await peer.ask(within: .seconds(2)) { client in
            let time = await clock.measure {
                await #expect(throws: Failure.unavailable) { try await client.get("/internal/a") }
            }
            #expect(time >= .seconds(1) && time < .seconds(20))
        }
        #expect(peer.asked.count == 2)
        await peer.stop()
    }

    @Test("What the other side refuses is told as it was, and is no reason to leave it alone")
    func refusals() async throws {
        let peer = try Peer { _ in
            .json(Array(#"{"errorCode":"E21","detail":"Not enough."}"#.utf8), Status(409))
        }
        try await peer.ask { client in
            for _ in 0..<40 {
                await #expect(throws: Failure(.notEnoughCoins, "Not enough.", status: 409)) {
                    try await client.tell("/internal/a")
                }
            }
        }
        #expect(peer.asked.count == 40)
        await peer.stop()
    }

    @Test("A service that fails is left alone, and asked again after a while")
    func breaker() async throws {
        let peer = try Peer { number in number <= 10 ? Response(.internalServerError) : .json(Array("{}".utf8)) }
        try await peer.ask { client in
            for _ in 0..<30 { await #expect(throws: Failure.unavailable) { try await client.tell("/internal/a") } }
            #expect(peer.asked.count == 10)
            let clock = ContinuousClock()
            let end = clock.now + .seconds(20)
            while true {
                do {
                    _ = try await client.tell("/internal/a")
                    break
                } catch {
                    try #require(clock.now < end)
                    try await EventLoop.current?.sleep(for: .milliseconds(50))
                }
            }
            #expect(peer.asked.count == 11)
            _ = try await client.tell("/internal/a")
        }
        await peer.stop()
    }
}
