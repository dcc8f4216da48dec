import EventLoop
import HTTP
import TestSupport
import Testing
import Wire

@Suite struct RetryingTests {
    private let policy = RetryPolicy(
        maximumAttempts: 3, firstWait: .milliseconds(10), longestWait: .seconds(2))

    @Test("A server that recovers in time causes no failure")
    func recovery() async throws {
        let (server, fixture) = (try await PythonServer.ofThisProcess(), ClientFixture())
        #expect(try await send(.init(.get, server.url("/recovers?get")), fixture).text == "well")
        #expect(try await fixture.get(server.url("/seen?/recovers?get")).text == "3")
    }

    @Test("A request that is not idempotent is sent once, unless its caller marks it")
    func once() async throws {
        let (server, fixture) = (try await PythonServer.ofThisProcess(), ClientFixture())
        var request = HTTPClient.Request(.post, server.url("/recovers?post"))
        #expect(try await send(request, fixture).text == "ill")
        #expect(try await fixture.get(server.url("/seen?/recovers?post")).text == "1")
        request.isIdempotent = true
        #expect(try await send(request, fixture).text == "well")
    }

    @Test("The server's Retry-After is respected, and the last reply goes to the caller")
    func retryAfter() async throws {
        let (server, fixture) = (try await PythonServer.ofThisProcess(), ClientFixture())
        let start = ContinuousClock.now
        let reply = try await send(.init(.get, server.url("/status?503&1")), fixture)
        #expect(reply.status == .serviceUnavailable)
        #expect(reply.text == "why")
        #expect(start.duration(to: .now) >= .seconds(2))
    }

    @Test("A missing reply leaves time for another attempt, within the whole deadline")
    func attemptDeadline() async throws {
        let (server, fixture) = (try await PythonServer.ofThisProcess(), ClientFixture())
        var impatient = policy
        impatient.attemptDeadline = .seconds(1).patiently
        let policy = impatient
        var request = HTTPClient.Request(.get, server.url("/never?attempts"))
        request.deadline = .seconds(60).patiently
        let start = ContinuousClock.now
        await #expect { try await send(request, fixture, policy) } throws: {
            ($0 as? HTTPClient.Failure)?.kind == .deadlineExceeded
        }
        #expect((Duration.seconds(3).patiently ..< .seconds(30).patiently).contains(start.duration(to: .now)))
        try await server.hasSeen("/never?attempts", times: 3)
        request.deadline = .milliseconds(100)
        await #expect(throws: HTTPClient.Failure.self) { try await send(request, fixture, policy) }
        // Its only attempt may end before the server has seen it.
        let seen = try await fixture.get(server.url("/seen?/never?attempts")).text
        #expect(["3", "4"].contains(seen), "there was no time for another attempt")
    }

    @Test("A cancelled task does not wait for its next attempt")
    func cancelled() async throws {
        let (server, fixture) = (try await PythonServer.ofThisProcess(), ClientFixture())
        let client = fixture.client
        let patient = RetryPolicy(maximumAttempts: 2, longestWait: .seconds(60))
        var request = HTTPClient.Request(.get, server.url("/status?503&30"))
        request.deadline = .seconds(60)
        let waiting = Task(executorPreference: fixture.group.loops[0]) {
            try await client.send(request, retrying: patient)
        }
        try await server.hasSeen("/status?503&30")
        waiting.cancel()
        let start = ContinuousClock.now
        await #expect { try await waiting.value } throws: { ($0 as? HTTPClient.Failure)?.kind == .cancelled }
        #expect(start.duration(to: .now) < .seconds(25))
    }

    @Test("Retry-After is seconds or a date, and nothing else")
    func retryAfterForms() async throws {
        let now = Timestamp(seconds: 784_111_770)
        func asked(_ value: String) -> Duration? {
            HTTPClient.Reply(status: .ok, headers: ["Retry-After": value], body: [], isHTTP2: false).retryAfter(
                now: now)
        }
        #expect(asked("120") == .seconds(120))
        #expect(asked("0") == .zero)
        #expect(asked("Sun, 06 Nov 1994 08:49:37 GMT") == .seconds(7))
        #expect(asked("Sun, 06 Nov 1994 08:49:00 GMT") == .zero)
        for nonsense in ["", "-1", "1.5", "soon", "99999999999999999999"] { #expect(asked(nonsense) == nil) }
    }

    private func send(
        _ request: HTTPClient.Request, _ fixture: ClientFixture, _ policy: RetryPolicy? = nil
    ) async throws -> HTTPClient.Reply {
        let (client, policy) = (fixture.client, policy ?? self.policy)
        return try await fixture.group.loops[0].run { try await client.send(request.patient, retrying: policy) }
    }
}
