public import EventLoop

/// A keep-alive HTTP/1.1 connection of a load program. It sends one request at a time and parses only the parts that measurements
/// need.
///
/// - Note: Loop-local.
public final class LoadConnection: StreamHandler {
    /// A reply to a request.
    public struct Reply {
        /// 0 if the connection ended before the reply was complete.
        public let status: Int
        public let body: [UInt8]
    }

    private let address: SocketAddress
    private let loop: EventLoop
    private var socket: StreamSocket?
    private var bytes: [UInt8] = []
    private var completion: ((Reply) -> Void)?

    private init(_ address: SocketAddress, on loop: EventLoop) {
        self.address = address
        self.loop = loop
    }

    /// Connects; call on `loop`.
    public static func open(_ address: SocketAddress, on loop: EventLoop) async throws -> LoadConnection {
        let connection = LoadConnection(address, on: loop)
        try await connection.connect()
        return connection
    }

    private func connect() async throws {
        let socket = try await StreamSocket.connect(to: address, timeout: .seconds(10), on: loop)
        self.socket = socket
        bytes = []
        socket.start(self)
    }

    /// Encodes a request.
    public static func request(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: String = ""
    ) -> [UInt8] {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: load\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if !body.isEmpty { text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        return Array((text + "\r\n" + body).utf8)
    }

    /// Sends a request. The previous one must have been answered. Reconnects if the server has closed the idle
    /// connection.
    public func send(_ request: [UInt8], _ completion: @escaping (Reply) -> Void) {
        precondition(self.completion == nil, "a request is under way")
        self.completion = completion
        if let socket, !socket.isClosed { return socket.write(request) }
        Task.immediate(executorPreference: loop) { [connection = Unchecked(self)] in
            do {
                try await connection.value.connect()
                connection.value.socket?.write(request)
            } catch {
                connection.value.settle(Reply(status: 0, body: []))
            }
        }
    }

    public func close() { socket?.close() }

    public func received(_ new: RawSpan) -> Int {
        new.withUnsafeBytes { bytes.append(contentsOf: $0) }
        if let reply = takeReply() { settle(reply) }
        return new.byteCount
    }

    public func endOfInput() { socket?.close() }
    public func drained() {}
    public func closed(_ end: StreamSocket.End) { settle(Reply(status: 0, body: [])) }

    private func settle(_ reply: Reply) {
        let completion = self.completion
        self.completion = nil
        completion?(reply)
    }

    /// Removes and returns a complete reply. All measured servers send a Content-Length.
    private func takeReply() -> Reply? {
        guard let head = ReplyHead(bytes), bytes.count >= head.size + head.bodySize else { return nil }
        let end = head.size + head.bodySize
        defer { if bytes.count == end { bytes.removeAll(keepingCapacity: true) } else { bytes.removeFirst(end) } }
        return Reply(status: head.status, body: Array(bytes[head.size..<end]))
    }
}
