import Synchronization
import TestSupport
import Wire

/// A client of Socket.IO over a WebSocket, on a thread of its own; it records all events.
final class SocketClient: Sendable {
    /// The events so far.
    struct Record: Sendable {
        var joined: Set<String> = []
        var refused: [String: String] = [:]
        /// Namespaces that the server has put the client out of.
        var left: Set<String> = []
        var events: [(namespace: String, name: String, body: JSONValue)] = []
        /// The ids of its events that the server has acknowledged.
        var acknowledged: Set<Int> = []
        /// Packets of Engine.IO that are no messages.
        var others: [String] = []
        var pings = 0
        var isEnded = false
        /// Of the close frame, where there was one.
        var closeCode: Int?

        func texts(_ namespace: String) -> [String] {
            events.filter { $0.namespace == namespace }.compactMap { $0.body["content"]?.string }
        }
    }

    /// The head of the reply to the handshake.
    let head: String
    private let connection: RawConnection
    private let state = Mutex(Record())
    private let isAnswering: Bool

    var record: Record { state.withLock(\.self) }

    /// Opens a WebSocket; `record.isEnded` tells when it has ended.
    ///
    /// - Parameters:
    ///   - sid: of a session to upgrade, else a new one is opened.
    ///   - isReading: false for one that reads nothing after the handshake.
    ///   - isAnswering: whether it answers pings.
    init(
        port: UInt16, headers: [(String, String)] = [], sid: String? = nil, isReading: Bool = true,
        isAnswering: Bool = true
    ) throws {
        connection = try RawConnection(port: port)
        connection.resetWhenClosed()
        self.isAnswering = isAnswering
        let session = sid.map { "&sid=\($0)" } ?? ""
        var head = "GET /socket.io/?EIO=4&transport=websocket\(session) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        head += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        head += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        try connection.send(head + "\r\n")
        let reply = try connection.receive(until: "\r\n\r\n")
        self.head = reply
        guard reply.hasPrefix("HTTP/1.1 101") else { throw NeverHappened(description: "101: \(reply)") }
        if isReading { startReading() }
    }

    func startReading() { Task { [self] in await onOwnThread { self.read() } } }

    func join(_ namespace: String, _ payload: String = "") throws { try send("40\(namespace),\(payload)") }

    func leave(_ namespace: String) throws { try send("41\(namespace),") }

    /// Joins a namespace and waits until the server has let it in.
    static func joined(_ namespace: String, port: UInt16, token: String) async throws -> SocketClient {
        let client = try SocketClient(port: port, headers: [("Authorization", token)])
        try client.join(namespace)
        try await client.until("a way into \(namespace)") { $0.joined.contains(namespace) }
        return client
    }

    func until(
        within patience: Duration = .seconds(60), _ what: String, _ condition: @Sendable (Record) -> Bool
    ) async throws {
        do {
            try await eventually(within: patience, what) { condition(self.record) }
        } catch {
            throw NeverHappened(description: "\(what); events: \(record.events.map(\.body)), \(record)")
        }
    }

    /// Sends a text message: frames of clients are masked, here with zeros.
    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        var frame: [UInt8] = [0x81]
        switch bytes.count {
        case ..<126: frame.append(0x80 | UInt8(bytes.count))
        case ..<65_536: frame += [0x80 | 126, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
        default: frame += [0x80 | 127] + (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * (7 - $0))) }
        }
        try connection.send(frame + [0, 0, 0, 0] + bytes)
    }

    /// Sends the bytes of frames.
    func send(frames: [UInt8]) throws { try connection.send(frames) }

    /// Makes the gateway unable to send, which it finds out when it next tries.
    func breakOtherEnd() { connection.breakOtherEnd() }

    /// Ends the connection without a word.
    func drop() { connection.finishSending() }

    // MARK: Reading

    private func read() {
        while let (opcode, payload) = try? frame() {
            if opcode == 8 {
                let code = payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
                state.withLock { $0.closeCode = code }
                // The server waits for the answer before it takes the socket for closed.
                try? connection.send([0x88, 0x80, 0, 0, 0, 0])
                connection.finishSending()
                continue
            }
            received(String(decoding: payload, as: UTF8.self))
        }
        state.withLock { $0.isEnded = true }
    }

    private func frame() throws -> (UInt8, [UInt8]) {
        let head = try connection.receive(exactly: 2)
        var length = Int(head[1] & 127)
        if length >= 126 {
            length = try connection.receive(exactly: length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        }
        return (head[0] & 15, try connection.receive(exactly: length))
    }

    private func received(_ packet: String) {
        if packet == "2" {
            state.withLock { $0.pings += 1 }
            if isAnswering { try? send("3") }
            return
        }
        guard packet.hasPrefix("4"), packet.count > 1 else { return state.withLock { $0.others.append(packet) } }
        let kind = packet.dropFirst().first
        let rest = packet.dropFirst(2)
        let parts = rest.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        let namespace = rest.hasPrefix("/") ? String(parts[0]) : "/"
        let body = rest.hasPrefix("/") ? parts.count > 1 ? String(parts[1]) : "" : String(rest)
        let json = try? JSONValue(parsing: body)
        state.withLock { record in
            switch kind {
            case "0": record.joined.insert(namespace)
            case "1": record.left.insert(namespace)
            case "4": record.refused[namespace] = json?["message"]?.string ?? ""
            case "2":
                if let json, let name = json[0]?.string, let body = json[1] {
                    record.events.append((namespace, name, body))
                }
            case "3": if let id = Int(body.prefix { $0.isNumber }) { record.acknowledged.insert(id) }
            default: break
            }
        }
    }
}
