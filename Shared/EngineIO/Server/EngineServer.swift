public import EventLoop
public import HTTP
internal import WebSocket

/// An Engine.IO server for all loops of a group, to be mounted on an HTTP server.
///
/// A session stays on the loop on which it was opened. A request that arrives on another loop is handed to the session's
/// loop. A WebSocket that upgrades the session moves there, so that later traffic crosses no loops.
public final class EngineServer: Sendable {
    /// Makes the application's handler of a session, on the session's loop.
    public typealias Opening = @Sendable (EngineSocket) -> any EngineHandler
    /// Accepts or refuses a request that would open a session, on the request's loop.
    public typealias Accept = @Sendable (Request) async throws(EngineError) -> EngineAcceptance

    let group: EventLoopGroup
    let settings: EngineSettings
    let loops: LoopLocal<EngineLoop>
    let engineLoops: [EngineLoop]
    private let node: String
    private let crossOrigin: CrossOrigin
    let accept: Accept

    /// - Parameter node: the prefix of this server's session ids; letters, digits and `-`.
    public init(
        on group: EventLoopGroup, settings: EngineSettings = EngineSettings(), node: String = "0",
        crossOrigin: CrossOrigin = .refused, accept: @escaping Accept
    ) {
        let engineLoops = group.loops.map { EngineLoop(on: $0, node: node, settings) }
        self.group = group
        self.settings = settings
        self.node = node
        self.crossOrigin = crossOrigin
        self.accept = accept
        self.engineLoops = engineLoops
        loops = LoopLocal(group) { engineLoops[$0.index] }
    }

    /// The node of the session that a request names; nil if the request names no possible session.
    public static func node(of request: Request) -> Substring? {
        guard let id = (try? EngineQuery(request))?.session else { return nil }
        return SessionID(id)?.node
    }

    /// Whether a request would open a session.
    public static func opensSession(_ request: Request) -> Bool {
        guard request.method == .get, let query = try? EngineQuery(request) else { return false }
        return query.session == nil
    }

    /// The reply to a refused request.
    public func refuse(_ error: EngineError, to request: Request) -> Response {
        var response: Response
        switch error {
        case .forbidden: response = .json(error.json, .forbidden)
        case .unavailable:
            response = .json(error.json, .serviceUnavailable)
            response.headers.append(.retryAfter, "5")
        default: response = .json(error.json, .badRequest)
        }
        addCrossOriginHeaders(to: &response, for: request)
        return response
    }

    /// Refuses new sessions, ends all, spread evenly over a time, and returns when their clients have taken everything
    /// that was sent, or when the grace period after that time is over. A closing WebSocket takes 5 s at most.
    public func drain(over duration: Duration, grace: Duration = .seconds(5)) async {
        await withTaskGroup(of: Void.self) { group in
            for owner in engineLoops {
                group.addTask(executorPreference: owner.loop) { await owner.drain(over: duration, grace: grace) }
            }
        }
    }

    /// Replies to any request below the mounted path.
    public func respond(to request: Request) async -> Response {
        if request.method == .options { return crossOrigin.preflight(request) }
        var response: Response
        do throws(EngineError) {
            response = try await route(request)
        } catch {
            return refuse(error, to: request)
        }
        addCrossOriginHeaders(to: &response, for: request)
        return response
    }

    private func addCrossOriginHeaders(to response: inout Response, for request: Request) {
        for (name, value) in crossOrigin.headers(for: request) {
            if let name = HeaderName(name) { response.headers.append(name, value) }
        }
    }

    private func route(_ request: Request) async throws(EngineError) -> Response {
        let query = try EngineQuery(request)
        let wantsUpgrade = request.headers.lists("websocket", in: .upgrade)
        if let id = query.session {
            let owner = try owner(of: id)
            guard wantsUpgrade == (query.transport == .webSocket) else { throw .badRequest }
            if wantsUpgrade { return try await upgrade(id, on: owner, request) }
            switch request.method {
            case .get: return try await poll(id, on: owner)
            case .post: return try await post(id, on: owner, request)
            default: throw .badRequest
            }
        }
        guard request.method == .get else { throw .badHandshakeMethod }
        guard wantsUpgrade == (query.transport == .webSocket) else { throw .badRequest }
        let version = try query.version()
        try loops.current.requireRoom()
        let takesBinary = !query.wantsBase64
        return wantsUpgrade
            ? try await openWebSocket(version, takesBinary: takesBinary, request)
            : try await openPolling(version, takesBinary: takesBinary, request)
    }

    private func owner(of id: String) throws(EngineError) -> EngineLoop {
        guard let id = SessionID(id), id.node == node, id.loop < engineLoops.count else { throw .unknownSession }
        return engineLoops[id.loop]
    }
}
