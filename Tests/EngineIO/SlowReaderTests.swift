import TestSupport
import Testing
import WebSocket

@testable import EngineIO

@Suite("The drain of an Engine.IO server with clients that read slowly", .ownThread, .timeLimit(.minutes(10)))
struct SlowReaderTests {
    @Test("A drain waits until a slow reader has everything that was sent to it")
    func slowReader() async throws {
        // A WebSocket ends when its time is over, also while the machine stands still: then another one is read.
        var isWhole = false
        for _ in 0..<5 where !isWhole {
            let (server, socket, text) = try await congested()
            let start = ContinuousClock.now
            let drain = server.drain()
            let frames = (0..<Self.longMessages).map { _ in try? socket.frame() }
            let isClosed = try? socket.frame() == nil
            isWhole = frames.allSatisfy { $0 == text } && isClosed == true
            try #require(isWhole || ContinuousClock.now - start >= WebSocketOptions().closeTimeout)
            #expect(server.told.last == "closed here")
            try? socket.send(ClientRequest.closeFrame)
            await drain.value
            #expect(server.told.last == "drained")
        }
        #expect(isWhole, "each WebSocket ended before all was read")
    }

    @Test("A drain waits at most its grace period for a client that does not read")
    func drainGrace() async throws {
        // Both times pass while the machine stands still: then another server is drained.
        var isGrace = false
        for _ in 0..<3 where !isGrace {
            let (server, socket, _) = try await congested()
            let time = await ContinuousClock().measure { await server.drain(grace: .milliseconds(100)).value }
            isGrace = time < WebSocketOptions().closeTimeout
            withExtendedLifetime(socket) {}
        }
        #expect(isGrace, "it is the grace, not the end of the WebSocket")
    }

    private static let longMessages = 16

    /// A client to which more was sent than the kernel holds.
    private func congested() async throws -> (server: TestServer, socket: RawConnection, text: String) {
        var settings = EngineSettings()
        settings.outputLimit = 32 << 20
        let server = try TestServer(settings, loops: 1)
        let socket = try server.webSocket()
        _ = try socket.frame()
        let text = "4" + String(repeating: "x", count: 900_000)
        let frame = ClientRequest.frame(text)
        for _ in 0..<Self.longMessages { try socket.send(frame) }
        try await eventually { server.told.count == Self.longMessages }
        return (server, socket, text)
    }
}
