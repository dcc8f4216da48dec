public import EventLoop

extension LoadRun {
    /// Opens `count` connections to a local port and runs `body` with them on a loop.
    public static func with(
        _ count: Int, connectionsTo port: UInt16, on loop: EventLoop,
        _ body: @escaping @Sendable (LoadRun) async -> LoadOutcome
    ) async throws -> LoadOutcome {
        try await loop.run {
            var connections: [LoadConnection] = []
            for _ in 0..<count {
                connections.append(
                    try await LoadConnection.open(SocketAddress(ip: "127.0.0.1", port: port)!, on: loop))
            }
            let outcome = await body(LoadRun(on: loop, connections))
            for connection in connections { connection.close() }
            return outcome
        }
    }
}
