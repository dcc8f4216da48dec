import EventLoop
import SlowLookUp
import TestSupport
import Testing

@testable import HTTP

@Suite struct CancellationTests {
    @Test(
        "Cancelling the task aborts the transfer at once",
        arguments: ["/never?cancel", "/drip?cancel", "/slow?31", "/endless?cancel"])
    func cancel(path: String) async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        let client = fixture.client
        var request = HTTPClient.Request(.get, server.url(path)).patient
        request.maximumReplySize = .max
        let waiting = Task(executorPreference: fixture.group.loops[0]) { [request] in
            do throws(HTTPClient.Failure) {
                _ = try await client.send(request)
                return nil as HTTPClient.Failure.Kind?
            } catch {
                return error.kind
            }
        }
        try await server.hasSeen(path)
        let start = ContinuousClock.now
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        #expect(start.duration(to: .now) < .seconds(25).patiently)
        #expect(try await fixture.get(server.url("/echo")).status == .ok)
    }

    @Test("A task that is cancelled before it sends, sends nothing")
    func cancelledBefore() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        let (client, loop) = (fixture.client, fixture.group.loops[0])
        let url = server.url("/echo?cancelled")
        let kind = await Task(executorPreference: loop) {
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(HTTPClient.Failure) {
                _ = try await client.send(HTTPClient.Request(.get, url).patient)
                return nil as HTTPClient.Failure.Kind?
            } catch {
                return error.kind
            }
        }.value
        #expect(kind == .cancelled)
        #expect(try await fixture.get(server.url("/seen?/echo?cancelled")).text == "0")
    }

    @Test("A cancellation that arrives before the start of its transfer is not lost")
    func overtaken() async throws {
        let group = EventLoopGroup(count: 1)
        defer { group.stop() }
        let loop = group.loops[0]
        let client = ClientLoop(on: loop, configuration: .init())
        let transfer = Transfer(.init(.get, "http://127.0.0.1:1/"))
        client.cancel(transfer)
        let outcome = try await loop.run {
            // The loop processes mail after the jobs of its turn.
            try await loop.sleep(for: .milliseconds(1))
            defer { client.close() }
            return await withUnsafeContinuation { client.start(transfer, $0) }
        }
        guard case .failure(let failure) = outcome else { return #expect(Bool(false), "a reply") }
        #expect(failure.kind == .cancelled)
        #expect(!failure.mayHaveBeenProcessed)
    }

    @Test("Cancelled requests do not disturb other requests on the same HTTP/2 connection")
    func neighbours() async throws {
        let server = try await NginxServer()
        let fixture = ClientFixture { $0.authorities = server.authority }
        let slow = HTTPClient.Request(.get, server.secure("/slow")).patient
        let quick = HTTPClient.Request(.get, server.secure("/connections")).patient
        let loop = fixture.group.loops[0]
        let outcomes = try await fixture.concurrently(60) { client, number in
            guard number % 3 != 0 else {
                return try await client.send(quick).text.split(separator: " ")[0]
            }
            return try await withThrowingTaskGroup { tasks in
                tasks.addTask { try await client.send(slow).text[...] }
                tasks.addTask {
                    try await loop.sleep(for: .milliseconds(number * 5))
                    return "late"
                }
                defer { tasks.cancelAll() }
                return try await tasks.next() ?? ""
            }
        }
        #expect(outcomes.count { $0 == "late" } == 40)
        #expect(Set(outcomes).count == 2)
        let connection = try await fixture.send(quick).text.split(separator: " ")[0]
        #expect(outcomes.contains(connection))
    }

    @Test("Closing the client aborts running requests and refuses new ones")
    func closing() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        async let waiting = fixture.failure(of: server.url("/never?closing"))
        try await server.hasSeen("/never?closing")
        fixture.client.close()
        #expect(await waiting?.kind == .closed)
        #expect(await fixture.failure(of: server.url("/echo"))?.kind == .closed)
        fixture.client.close()
    }

    @Test("A slow name lookup blocks neither the loop nor the end of its request")
    func slowLookUp() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        var request = HTTPClient.Request(.get, "http://\(SLOW_LOOK_UP_HOST)/")
        request.deadline = .milliseconds(200)
        async let failure = fixture.failure(of: request)
        #expect(try await fixture.get(server.url("/echo")).status == .ok)
        #expect(await failure?.kind == .deadlineExceeded)
        #expect(try await fixture.get(server.url("/echo")).status == .ok)
        #expect(has_slow_look_up_ended() == 0)
        // The lookup ends after its request has gone.
        end_slow_look_ups()
        try await eventually("the end of the look-up") { has_slow_look_up_ended() == 1 }
        #expect(await fixture.failure(of: "http://no-such-host.invalid/")?.kind == .unreachable)
    }
}
