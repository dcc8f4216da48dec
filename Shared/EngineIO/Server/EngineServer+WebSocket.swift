internal import EventLoop
internal import HTTP
internal import WebSocket

extension EngineServer {
    func openWebSocket(
        _ version: EngineVersion, takesBinary: Bool, _ request: Request
    ) async throws(EngineError) -> Response {
        // A malformed handshake is refused before the application is asked.
        _ = try handshake(request, mayCompress: false)
        let acceptance = try await accept(request)
        let handshake = try handshake(request, mayCompress: acceptance.mayCompress)
        let owner = loops.current
        try owner.requireRoom()
        return .upgrade(to: "websocket", headers: handshake.fields) { socket in
            owner.connect(socket, handshake) { connection in
                owner.makeSession(version, over: connection, takesBinary: takesBinary, acceptance)
            }
        }
    }

    /// A WebSocket with a session's id becomes the session's upgrade candidate, on the session's loop. If the session
    /// has a WebSocket already, the new one is closed: clients expect that rather than an HTTP error.
    func upgrade(_ id: String, on owner: EngineLoop, _ request: Request) async throws(EngineError) -> Response {
        _ = try handshake(request, mayCompress: false)
        let slot = try await owner.ask { owner throws(EngineError) in try owner.session(id).reserveCandidate() }
        let handshake = try handshake(request, mayCompress: slot.mayCompress)
        return .upgrade(to: "websocket", headers: handshake.fields) { socket in
            let mover = SocketMover(socket) { moving in
                owner.loop.execute { owner.receiveCandidate(moving, for: slot.isReserved ? id : nil, handshake) }
            }
            return mover
        }
    }

    private func handshake(_ request: Request, mayCompress: Bool) throws(EngineError) -> ServerHandshake {
        do throws(HandshakeRefusal) {
            return try ServerHandshake(
                answering: HandshakeRequest(request), deflate: mayCompress ? settings.deflate : nil)
        } catch {
            throw .badRequest
        }
    }
}

extension EngineLoop {
    func connect(
        _ socket: StreamSocket, _ handshake: ServerHandshake, _ open: (WebSocketConnection) -> any WebSocketHandler
    ) -> WebSocketConnection {
        WebSocketConnection(
            socket, role: .server, options: webSocketOptions, deflate: handshake.deflate, pool: pool, open: open)
    }

    func receiveCandidate(_ moving: MovingConnection, for id: String?, _ handshake: ServerHandshake) {
        let socket = StreamSocket(moving, on: loop)
        var session: EngineSocket?
        if let id { session = try? self.session(id) }
        let handler: any WebSocketHandler = if let session { session } else { NoSession() }
        let connection = connect(socket, handshake) { _ in handler }
        let isTaken = session?.setCandidate(connection) ?? false
        socket.start(connection)
        if !isTaken { connection.close() }
    }
}

/// The answer to a WebSocket that wants to upgrade a session.
struct CandidateSlot: Sendable {
    /// False if the slot was taken.
    let isReserved: Bool
    let mayCompress: Bool
}

/// Handles the WebSocket of a session that has ended.
private final class NoSession: WebSocketHandler {
    func received(_ message: Message, on connection: WebSocketConnection) {}
    func ended(_ ending: Ending, on connection: WebSocketConnection) {}
}
