public import EventLoop

/// A kept HTTP/1.1 connection of a load program: one request at a time, and of each reply just what a measurement needs.
///
/// - Note: Confined to its loop.
public final class LoadConnection: StreamHandler {
    /// What came back.
    public struct Reply {
        /// 0 where the connection ended before the reply did.
        public let status: Int
        public let body: [UInt8]
    }

    private var socket: StreamSocket?
    private var bytes: [UInt8] = []
    private var completion: ((Reply) -> Void)?

    private init() {}

    /// Connects; call on `loop`.
    public static func open(_ address: SocketAddress, on loop: EventLoop) async throws -> LoadConnection {
        let connection = LoadConnection()
        let socket = try await StreamSocket.connect(to: address, timeout: .seconds(10), on: loop)
        connection.socket = socket
        socket.start(connection)
        return connection
    }

    /// The bytes of a request.
    public static func request(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: String = ""
    ) -> [UInt8] {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: load\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if !body.isEmpty { text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        return Array((text + "\r\n" + body).utf8)
    }

    /// Sends a request; the one before it must have been answered.
    public func send(_ request: [UInt8], _ completion: @escaping (Reply) -> Void) {
        precondition(self.completion == nil, "a request is under way")
        guard let socket, !socket.isClosed else { return completion(Reply(status: 0, body: [])) }
        self.completion = completion
        socket.write(request)
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

    /// The reply, once it is complete; every server here declares lengths.
    private func takeReply() -> Reply? {
        guard let end = bytes.firstIndex(ofSequence: [13, 10, 13, 10]) else { return nil }
        let head = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
        let status = Int(head.dropFirst(9).prefix(3)) ?? 0
        var length = 0
        if let name = head.range(of: "content-length:") {
            length = Int(head[name...].prefix { $0 != "\r" }.filter(\.isNumber)) ?? 0
        }
        guard bytes.count >= end + 4 + length else { return nil }
        defer { bytes.removeFirst(end + 4 + length) }
        return Reply(status: status, body: Array(bytes[(end + 4)..<(end + 4 + length)]))
    }
}

extension [UInt8] {
    fileprivate func firstIndex(ofSequence sequence: [UInt8]) -> Int? {
        guard count >= sequence.count else { return nil }
        return (0...(count - sequence.count)).first {
            self[$0] == sequence[0] && self[$0..<($0 + sequence.count)].elementsEqual(sequence)
        }
    }
}

extension String {
    fileprivate func range(of text: String) -> Index? {
        var place = startIndex
        while place < endIndex {
            if self[place...].hasPrefix(text) { return place }
            place = self[place...].firstIndex(of: "\r\n").map { index(after: $0) } ?? endIndex
        }
        return nil
    }
}
