internal import EventLoop
internal import WebSocket

/// Loads the memory of a socket before a shared packet is sent to it.
///
/// For broadcasts to thousands of sockets: their objects are in no cache, and a broadcast that waited for the memory of each
/// socket would mostly wait. A value holds no reference to its socket, because counting one needs the memory as well. The
/// socket must be alive when `fetchConnection` is called.
public struct SendAhead {
    private let socket: Unmanaged<EngineSocket>

    public init(_ socket: EngineSocket) { self.socket = .passUnretained(socket) }

    /// Starts loading the socket.
    public func fetchSocket() { MemoryHint(socket.toOpaque()).fetch(EngineSocket.sharedSize) }

    /// Starts loading the connection below the socket. The socket must have been loaded, some sends before.
    public func fetchConnection() {
        socket._withUnsafeGuaranteedRef { socket in
            guard let connection = socket.connection else { return }
            connection.webSocket.fetch(WebSocketConnection.sharedSize)
            connection.stream.fetch(StreamSocket.writtenSize)
        }
    }
}
