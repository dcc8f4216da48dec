import EventLoop
import TestSupport
import Testing

@testable import EngineIO

@Suite("An Engine.IO server on several loops", .ownThread, .timeLimit(.minutes(10)))
struct ServerTests {
    @Test("Everything in a socket that a shared packet reads is within the part that is loaded ahead")
    func layout() async throws {
        let loops = EventLoopGroup(count: 1)
        try await loops.loops[0].run {
            let owner = EngineLoop(on: loops.loops[0], node: "n", EngineSettings())
            let machine = EngineMachine(
                .v4, over: .polling, takesBinary: true, times: owner.times, now: owner.loop.now)
            let socket = EngineSocket(id: "a", machine, on: owner)
            let start = UnsafeRawPointer(Unmanaged.passUnretained(socket).toOpaque())
            let phase = withUnsafeMutablePointer(to: &socket.machine.phase) { UnsafeRawPointer($0) } - start
            #expect(phase + MemoryLayout.size(ofValue: socket.machine.phase) <= EngineSocket.sharedSize)
            #expect(phase > 32, "the object's header, the WebSocket and the hints come first")
        }
        await onOwnThread { loops.stop() }
    }

    @Test("Polls and posts reach their session from any loop")
    func acrossLoops() async throws {
        let server = try TestServer()
        for _ in 0..<5 {
            let session = try await server.open()
            for number in 0..<8 {
                #expect(try await server.post(session, "4message \(number)").text == "ok")
                #expect(try await server.get(session).text == "4message \(number)")
            }
        }
        #expect(server.told == Array(repeating: "message", count: 40))
        #expect(server.sessionCount == 5)
    }

    @Test("A version 3 client that asks for Base64 gets bytes as text, over a WebSocket too")
    func base64() throws {
        let server = try TestServer()
        let socket = try server.webSocket("EIO=3&transport=websocket&b64=1")
        _ = try socket.frame()
        try socket.send(frame: "b4AQIDBA==")
        #expect(try socket.frame() == "b4AQIDBA==")
    }

    @Test("A WebSocket that upgrades a session moves to its loop, with the bytes it has sent")
    func upgrades() async throws {
        let server = try TestServer()
        for _ in 0..<12 {
            let session = try await server.open()
            let socket = try server.webSocket(session)
            try socket.send(frame: "2probe")
            #expect(try socket.frame() == "3probe")
            #expect(try await server.get(session).text == "6")
            try socket.send(frame: "5")
            try socket.send(frame: "4hello")
            #expect(try socket.frame() == "4hello")
            #expect(try await server.get(session).status == 400)
            try socket.send(frame: "1")
            #expect(try socket.frame() == nil)
        }
        #expect(server.told == Array(repeating: ["message", "closed by client"], count: 12).flatMap { $0 })
        #expect(server.sessionCount == 0)
    }

    @Test("A probe in one piece with the handshake is not lost when the WebSocket moves to another loop")
    func earlyProbe() async throws {
        let server = try TestServer()
        for _ in 0..<12 {
            let session = try await server.open()
            let socket = try RawConnection(port: server.port)
            let target = "/?" + session.replacing("polling", with: "websocket")
            var bytes = ClientRequest.bytes(target)
            for text in ["2probe", "5", "4hello"] { bytes += ClientRequest.frame(text) }
            try socket.send(bytes)
            _ = try socket.receive(until: "\r\n\r\n")
            #expect(try socket.frame() == "3probe")
            #expect(try socket.frame() == "4hello")
        }
    }

    @Test("A second WebSocket for a session is opened and closed; one for an unknown session is refused")
    func secondWebSocket() async throws {
        let server = try TestServer()
        let session = try await server.open()
        let first = try server.webSocket(session)
        let second = try server.webSocket(session)
        #expect(try second.frame() == nil)
        try first.send(frame: "2probe")
        #expect(try first.frame() == "3probe")
        #expect(throws: NeverHappened.self) { try server.webSocket("EIO=4&transport=websocket&sid=n1.0.nobody") }
    }

    @Test("A poll that its client aborts ends the session at once, even right after it was sent")
    func cancelledPoll() async throws {
        let server = try TestServer()
        for isWaiting in [true, false] {
            let session = try await server.open()
            let poll = try RawConnection(port: server.port)
            // A busy loop gets the poll and its end together.
            if !isWaiting { server.stall() }
            try poll.send("GET /?\(session) HTTP/1.1\r\nHost: x\r\n\r\n")
            if isWaiting { try await pause(for: .milliseconds(20)) }
            poll.finishSending()
            try await eventually { server.sessionCount == 0 }
            #expect(try await server.get(session).text == #"{"code":1,"message":"Session ID unknown"}"#)
        }
        #expect(server.told == ["transport error", "transport error"])
    }

    @Test("Refusals have the codes, messages and statuses of the reference server")
    func refusals() async throws {
        let server = try TestServer()
        let session = try await server.open()
        for (query, status, body) in [
            ("EIO=4", 400, #"{"code":0,"message":"Transport unknown"}"#),
            ("EIO=4&transport=polling&j=0", 400, #"{"code":0,"message":"Transport unknown"}"#),
            ("EIO=4&transport=polling&sid=x", 400, #"{"code":1,"message":"Session ID unknown"}"#),
            ("EIO=4&transport=polling&sid=n2.0.x", 400, #"{"code":1,"message":"Session ID unknown"}"#),
            ("EIO=4&transport=polling&sid=n1.99.x", 400, #"{"code":1,"message":"Session ID unknown"}"#),
            ("EIO=4&transport=websocket", 400, #"{"code":3,"message":"Bad request"}"#),
            (session.replacing("polling", with: "websocket"), 400, #"{"code":3,"message":"Bad request"}"#),
            ("EIO=5&transport=polling", 400, #"{"code":5,"message":"Unsupported protocol version"}"#),
            ("EIO=%zz&transport=polling", 400, #"{"code":3,"message":"Bad request"}"#),
        ] {
            let reply = try await server.get(query)
            #expect(reply.status == status && reply.text == body, "\(query)")
            #expect(reply.headers["content-type"] == "application/json")
        }
        let forbidden = try await server.get("EIO=4&transport=polling", headers: [("X-Forbidden", "1")])
        #expect(forbidden.status == 403 && forbidden.text == #"{"code":4,"message":"not you"}"#)
        let posted = try await server.post("EIO=4&transport=polling", "4x")
        #expect(posted.text == #"{"code":2,"message":"Bad handshake method"}"#)
        #expect(server.sessionCount == 1)
    }

    @Test("A body above the limit gets 413, and its session continues")
    func largeBody() async throws {
        var settings = EngineSettings()
        settings.maximumPayload = 100
        let server = try TestServer(settings)
        let session = try await server.open()
        #expect(try await server.post(session, "4" + String(repeating: "x", count: 100)).status == 413)
        #expect(try await server.post(session, "4" + String(repeating: "x", count: 99)).text == "ok")
        #expect(try await server.get(session).text.count == 100)
    }

    @Test("The number of sessions on a loop is limited")
    func full() async throws {
        var settings = EngineSettings()
        settings.sessionsPerLoop = 2
        let server = try TestServer(settings, loops: 1)
        let first = try await server.open()
        _ = try await server.open()
        let refused = try await server.get("EIO=4&transport=polling")
        #expect(refused.status == 503 && refused.headers["retry-after"] != nil)
        _ = try await server.post(first, "1")
        _ = try await server.open()
    }

    @Test("Closing the server's sessions ends WebSockets and polls, and notifies the application once")
    func closedHere() async throws {
        let server = try TestServer()
        let socket = try server.webSocket()
        _ = try socket.receive(exactly: 4)
        try socket.send(frame: "4close")
        try await eventually { server.told == ["message", "closed here"] }
        try socket.send(ClientRequest.closeFrame)
        let session = try await server.open()
        async let poll = server.get(session)
        await server.drain(over: .milliseconds(20)).value
        #expect(try await poll.text == "1")
        #expect(server.told == ["message", "closed here", "closed here", "drained"])
        #expect(server.sessionCount == 0)
    }

    @Test("Sessions that are closed over a time end one after the other")
    func closedOverTime() async throws {
        // While the machine stands still, all of them become due: then others are closed.
        var areApart = false
        while !areApart {
            let server = try TestServer(loops: 1)
            for _ in 0..<4 { _ = try await server.open() }
            let start = ContinuousClock.now
            let drain = server.drain(over: .seconds(4), grace: .zero)
            try await eventually { !server.told.isEmpty }
            let time = ContinuousClock.now - start
            areApart = server.told.count < 4
            try #require(areApart || time > .seconds(2), "\(time)")
            await drain.value
            #expect(server.told == Array(repeating: "closed here", count: 4) + ["drained"])
        }
    }

    @Test("Browsers get CORS headers for allowed origins only", arguments: [true, false])
    func crossOrigin(isAllowed: Bool) async throws {
        let server = try TestServer(crossOrigin: .allowed { $0 == "https://ours" })
        let origin = [("Origin", isAllowed ? "https://ours" : "https://theirs")]
        let reply = try await server.get("EIO=4&transport=polling", headers: origin)
        #expect(reply.headers["access-control-allow-origin"] == (isAllowed ? "https://ours" : nil))
        #expect(reply.headers["access-control-allow-credentials"] == (isAllowed ? "true" : nil))
        let preflight = try await HTTPCall("OPTIONS", port: server.port, "/", headers: origin).reply()
        #expect(preflight.status == 204)
        #expect(preflight.headers["access-control-allow-methods"] == (isAllowed ? "GET,POST" : nil))
    }
}
