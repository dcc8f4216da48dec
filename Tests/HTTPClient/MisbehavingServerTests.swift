import EventLoop
import HTTP
import TestSupport
import Testing

@Suite struct MisbehavingServerTests {
    @Test(
        "A reply that ends too early is a lost connection",
        arguments: ["/partial", "/partial-chunk", "/bad-chunk", "/nothing", "/reset"])
    func cutShort(path: String) async throws {
        let server = try await PythonServer.ofThisProcess()
        let failure = await ClientFixture().failure(of: server.url(path))
        #expect(failure?.kind == .connectionLost)
        #expect(failure?.mayHaveBeenProcessed == true)
    }

    @Test("A reply that is not HTTP is reported as such", arguments: ["/garbage", "/status-999"])
    func garbage(path: String) async throws {
        let server = try await PythonServer.ofThisProcess()
        #expect(await ClientFixture().failure(of: server.url(path))?.kind == .malformedReply)
    }

    @Test(
        "A reply larger than allowed is aborted, whether announced or not",
        arguments: ["/declared", "/endless", "/endless-head"])
    func tooLarge(path: String) async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        #expect(await fixture.failure(of: server.url(path))?.kind == .replyTooLarge)
        #expect(try await fixture.get(server.url("/echo")).status == .ok)
    }

    @Test("A reply of exactly the allowed size is accepted")
    func justFits() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        var request = HTTPClient.Request(.get, server.url("/exactly?5000"))
        request.maximumReplySize = 5000
        #expect(try await fixture.send(request).body.count == 5000)
        request.maximumReplySize = 4999
        #expect(await fixture.failure(of: request)?.kind == .replyTooLarge)
    }

    @Test("A request ends at its deadline, even if bytes drip in", arguments: ["/never", "/drip", "/slow?30"])
    func deadline(path: String) async throws {
        let server = try await PythonServer.ofThisProcess()
        var request = HTTPClient.Request(.get, server.url(path))
        request.deadline = .milliseconds(1500).patiently
        let start = ContinuousClock.now
        let failure = await ClientFixture().failure(of: request)
        #expect(failure?.kind == .deadlineExceeded)
        #expect(failure?.mayHaveBeenProcessed == true)
        #expect((request.deadline ..< .seconds(25).patiently).contains(start.duration(to: .now)))
    }

    @Test("A request that waits for a free connection also ends at its deadline")
    func deadlineInTheQueue() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture { $0.maximumConnectionsPerHost = 1 }
        let failures = try await fixture.concurrently(5) { client, number in
            var request = HTTPClient.Request(.get, server.url("/never"))
            // The first request uses the connection until all others have ended.
            request.deadline = .milliseconds(number == 0 ? 2000 : 500).patiently
            do throws(HTTPClient.Failure) {
                _ = try await client.send(request)
                return nil as HTTPClient.Failure?
            } catch {
                return error
            }
        }
        #expect(failures.allSatisfy { $0?.kind == .deadlineExceeded })
        #expect(failures.count { $0?.mayHaveBeenProcessed == true } == 1)
        #expect(try await fixture.get(server.url("/echo")).status == .ok)
    }

    @Test("A server killed in the middle of its replies fails every request at once")
    func killed() async throws {
        let server = try await PythonServer()
        let fixture = ClientFixture { $0.maximumConnectionsPerHost = 50 }
        async let failures = fixture.concurrently(50) { client, number in
            do throws(HTTPClient.Failure) {
                let request = HTTPClient.Request(.get, server.url(number % 2 == 0 ? "/drip" : "/never"))
                _ = try await client.send(request.patient)
                return nil as HTTPClient.Failure.Kind?
            } catch {
                return error.kind
            }
        }
        for target in ["/drip", "/never"] { try await server.hasSeen(target, times: 25) }
        await server.process.stop(9)
        let start = ContinuousClock.now
        #expect(try await failures == Array(repeating: .connectionLost, count: 50))
        #expect(start.duration(to: .now) < .seconds(25).patiently)
        let afterwards = await fixture.failure(of: server.url("/echo"))
        #expect(afterwards?.kind == .unreachable)
        #expect(afterwards?.mayHaveBeenProcessed == false)
    }

    @Test("A closed port, an unknown host and a host that never answers are unreachable")
    func unreachable() async throws {
        let fixture = ClientFixture { $0.connectTimeout = .milliseconds(200) }
        #expect(await fixture.failure(of: "http://127.0.0.1:\(FreePort.pick())/")?.kind == .unreachable)
        #expect(await fixture.failure(of: "http://no-such-host.invalid/")?.kind == .unreachable)
        let mute = try MuteListener()
        let failure = await fixture.failure(of: "http://127.0.0.1:\(mute.port)/")
        #expect(failure?.kind == .unreachable)
        #expect(failure?.mayHaveBeenProcessed == false)
    }

    @Test(
        "On a dead kept connection, an idempotent request is sent again and another one is not",
        arguments: ["/dies-when-used-again", "/breaks-off-when-used-again"])
    func deadConnection(path: String) async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        let url = server.url(path)
        #expect(try await fixture.get(url).text == "first")
        #expect(try await fixture.get(url).text == "first")
        #expect(try await fixture.get(server.url("/seen?" + path)).text == "3")

        for body in [[], Array("body".utf8)] {
            let fixture = ClientFixture()
            let path = path + "?\(body.count)"
            #expect(try await fixture.send(.init(.post, server.url(path), body: body)).text == "first")
            let failure = await fixture.failure(of: .init(.post, server.url(path), body: body))
            #expect(failure?.kind == .connectionLost)
            #expect(failure?.mayHaveBeenProcessed == true)
            #expect(try await fixture.get(server.url("/seen?" + path)).text == "2")
        }
    }

    @Test("A request that a kept connection loses is sent once more, on a new one")
    func brokenTwice() async throws {
        let server = try await PythonServer()
        let fixture = ClientFixture()
        #expect(try await fixture.get(server.url("/echo")).status == .ok)
        #expect(await fixture.failure(of: server.url("/partial"))?.kind == .connectionLost)
        #expect(try await fixture.get(server.url("/seen?/partial")).text == "2")
        #expect(await fixture.failure(of: server.url("/partial-chunk"))?.mayHaveBeenProcessed == true)
    }
}
