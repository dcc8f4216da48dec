import EventLoop
import HTTP
import TestSupport
import Testing

@Suite struct CancellationTests {
    @Test("Cancelling the task aborts the transfer at once", arguments: ["/never", "/drip", "/slow?30", "/endless"])
    func cancel(path: String) async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        let client = fixture.client
        var request = HTTPClient.Request(.get, server.url(path))
        request.maximumReplySize = .max
        let waiting = Task(executorPreference: fixture.group.loops[0]) { [request] in
            do throws(HTTPClient.Failure) {
                _ = try await client.send(request)
                return nil as HTTPClient.Failure.Kind?
            } catch {
                return error.kind
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        #expect(start.duration(to: .now) < .seconds(2))
        #expect(try await fixture.get(server.url("/echo")).status == .ok)
    }

    @Test("A task cancelled before sends nothing that it waits for")
    func cancelledBefore() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        let client = fixture.client
        let url = server.url("/never?before")
        let kind = await Task(executorPreference: fixture.group.loops[0]) {
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(HTTPClient.Failure) {
                _ = try await client.send(.init(.get, url))
                return nil as HTTPClient.Failure.Kind?
            } catch {
                return error.kind
            }
        }.value
        #expect(kind == .cancelled)
    }

    @Test("Requests cancelled at any moment leave their neighbours on the same HTTP/2 connection alone")
    func neighbours() async throws {
        let server = try await NginxServer()
        let fixture = ClientFixture { $0.authorities = server.authority }
        let (slow, quick) = (server.secure("/slow"), server.secure("/connections"))
        let loop = fixture.group.loops[0]
        let outcomes = try await fixture.concurrently(60) { client, number in
            guard number % 3 != 0 else {
                return try await client.send(.init(.get, quick)).text.split(separator: " ")[0]
            }
            return try await withThrowingTaskGroup { tasks in
                tasks.addTask { try await client.send(.init(.get, slow)).text[...] }
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
        let connection = try await fixture.get(quick).text.split(separator: " ")[0]
        #expect(outcomes.contains(connection))
    }

    @Test("Closing the client ends what is under way and refuses what comes")
    func closing() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        async let waiting = fixture.failure(of: server.url("/never"))
        try await Task.sleep(for: .milliseconds(100))
        fixture.client.close()
        #expect(await waiting?.kind == .closed)
        #expect(await fixture.failure(of: server.url("/echo"))?.kind == .closed)
        fixture.client.close()
    }

    @Test("A name that takes long to look up holds up neither the loop nor the end of its request")
    func slowLookUp() async throws {
        let fixture = ClientFixture()
        let loop = fixture.group.loops[0]
        var request = HTTPClient.Request(.get, "http://no-such-host.invalid/")
        request.deadline = .milliseconds(1)
        for _ in 0..<20 {
            let start = ContinuousClock.now
            let kind = await fixture.failure(of: request)?.kind
            #expect(kind == .deadlineExceeded || kind == .unreachable)
            try await loop.run { try await loop.sleep(for: .zero) }
            #expect(start.duration(to: .now) < .seconds(1))
        }
    }
}
