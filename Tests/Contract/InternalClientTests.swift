import Contract
import EventLoop
import HTTP
import Telemetry
import Testing
import Wire

@Suite("A client of an internal API")
struct InternalClientTests {
    private struct Read: InternalRequest {
        typealias Reply = EmptyReply
        static let route = InternalRoute.get("/internal/read")
        init() {}
        init(reading request: InternalRequestReader) {}
        func write(to request: inout InternalRequestWriter) {}
    }

    private struct RepeatableWrite: InternalRequest {
        typealias Reply = EmptyReply
        static let route = InternalRoute.idempotentPost("/internal/repeatable")
        init() {}
        init(reading request: InternalRequestReader) {}
        func write(to request: inout InternalRequestWriter) {}
    }

    private struct Write: InternalRequest {
        typealias Reply = EmptyReply
        static let route = InternalRoute.post("/internal/write")
        init() {}
        init(reading request: InternalRequestReader) {}
        func write(to request: inout InternalRequestWriter) {}
    }

    @Test("A call carries the request id and the trace of the served call, and the credential")
    func context() async throws {
        let peer = try Peer { _ in .json(Array("{}".utf8)) }
        let ids = IDSource(for: peer.loops)
        let context = CallContext(id: RequestID(from: ids), trace: TraceContext(from: ids, isSampled: true))
        try await peer.ask { client in
            _ = try await CallContext.$current.withValue(context) { try await client.send(Read()) }
            _ = try await CallContext.$current.withValue(context) { try await client.send(Write()) }
            _ = try await client.send(Read())
        }
        let asked = peer.asked
        #expect(asked.map(\.path) == ["/internal/read", "/internal/write", "/internal/read"])
        #expect(asked.map(\.credential) == Array(repeating: "Bearer secret", count: 3))
        #expect(asked.map(\.id) == [context.id.description, context.id.description, nil])
        #expect(asked.map(\.trace) == [context.trace?.traceparent, context.trace?.traceparent, nil])
        await peer.stop()
    }

    @Test("A failed call is sent once more if it is idempotent, and otherwise not")
    func retries() async throws {
        let peer = try Peer { number in
            number % 2 == 1 ? Response(.serviceUnavailable) : .json(Array(#"{"ok":true}"#.utf8))
        }
        try await peer.ask { client in
            _ = try await client.send(Read())
            _ = try await client.send(RepeatableWrite())
            await #expect(throws: Failure.unavailable) { try await client.send(Write()) }
        }
        #expect(
            peer.asked.map(\.path) == [
                "/internal/read", "/internal/read", "/internal/repeatable", "/internal/repeatable", "/internal/write",
            ])
        await peer.stop()
    }

    @Test("A call ends at its deadline, including its second attempt")
    func deadline() async throws {
        let peer = try Peer { _ in
            try await EventLoop.current?.sleep(for: .seconds(60))
            return Response()
        }
        let clock = ContinuousClock()
        try await peer.ask(within: .seconds(2)) { client in
            let time = await clock.measure {
                await #expect(throws: Failure.unavailable) { try await client.send(Read()) }
            }
            #expect(time >= .seconds(1) && time < .seconds(20))
        }
        #expect(peer.asked.count == 2)
        await peer.stop()
    }

    @Test("A refusal reaches the caller unchanged and does not open the circuit breaker")
    func refusals() async throws {
        let peer = try Peer { _ in
            .json(Array(#"{"errorCode":"E21","detail":"Not enough."}"#.utf8), Status(409))
        }
        try await peer.ask { client in
            for _ in 0..<40 {
                await #expect(throws: Failure(.notEnoughCoins, "Not enough.", status: 409)) {
                    try await client.send(Write())
                }
            }
        }
        #expect(peer.asked.count == 40)
        await peer.stop()
    }

    @Test("A refusal says when the call may be repeated")
    func limits() async throws {
        let peer = try Peer { _ in
            .json(Array(#"{"errorCode":"E98","detail":"Too many.","retry_after":70000}"#.utf8), Status(429))
        }
        try await peer.ask { client in
            await #expect(throws: Failure(.tooManyCalls, "Too many.", status: 429, retryAfter: .seconds(70))) {
                try await client.send(Write())
            }
        }
        await peer.stop()
    }

    @Test("A call for a client tells that the other service is overloaded; for other calls it does not answer")
    func overload() async throws {
        let peer = try Peer { _ in
            .json(Array(#"{"errorCode":"E98","detail":"Busy.","retry_after":1000}"#.utf8), .serviceUnavailable)
        }
        let send = MeSendRequest(
            caller: MeCaller(user: UserID(1), session: SessionID(1), profile: "native"), room: RoomID(ChannelID(7)),
            content: "a", clientID: "c")
        try await peer.ask { client in
            await #expect(throws: Failure(.tooManyCalls, "Busy.", status: 503, retryAfter: .seconds(1))) {
                try await client.send(send)
            }
            await #expect(throws: Failure.unavailable) { try await client.send(Write()) }
        }
        await peer.stop()
    }

    @Test("An overloaded service gets each call of a client once, and its other calls go on")
    func overloadedOnly() async throws {
        let peer = try Peer { number in
            guard number <= 40 else { return .json(Array("{}".utf8)) }
            var reply = Response.json(
                Array(#"{"errorCode":"E98","detail":"Busy.","retry_after":1000}"#.utf8), .serviceUnavailable)
            reply.headers.append(.retryAfter, "1")
            return reply
        }
        let caller = MeCaller(user: UserID(1), session: SessionID(1), profile: "native")
        let send = MeSendRequest(caller: caller, room: RoomID(ChannelID(7)), content: "a", clientID: "c")
        try await peer.ask { client in
            for _ in 0..<40 {
                await #expect(throws: Failure(.tooManyCalls, "Busy.", status: 503, retryAfter: .seconds(1))) {
                    try await client.send(send)
                }
            }
            _ = try await client.send(Read())
        }
        #expect(peer.asked.count == 41)
        await peer.stop()
    }

    @Test("A failing service is not called for a while, and then called again")
    func breaker() async throws {
        let peer = try Peer { number in number <= 10 ? Response(.internalServerError) : .json(Array("{}".utf8)) }
        try await peer.ask { client in
            for _ in 0..<30 { await #expect(throws: Failure.unavailable) { try await client.send(Write()) } }
            #expect(peer.asked.count == 10)
            let clock = ContinuousClock()
            let end = clock.now + .seconds(20)
            while true {
                do {
                    _ = try await client.send(Write())
                    break
                } catch {
                    try #require(clock.now < end)
                    try await EventLoop.current?.sleep(for: .milliseconds(50))
                }
            }
            #expect(peer.asked.count == 11)
            _ = try await client.send(Write())
        }
        await peer.stop()
    }
}
