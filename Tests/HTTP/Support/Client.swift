import TestSupport

/// A connection that sends exact bytes and reads one reply after the other.
///
/// - Note: `@unchecked Sendable` because a test uses it on one thread at a time; only sending, which has no state, is
/// concurrent.
final class Client: @unchecked Sendable {
    let connection: RawConnection
    private var pending: [UInt8] = []

    init(port: UInt16, patience: Duration = .seconds(60)) throws {
        connection = try RawConnection(port: port, patience: patience)
    }

    func send(_ text: String) throws { try connection.send(text) }

    func send(_ bytes: [UInt8]) throws { try connection.send(bytes) }

    /// Sends bytes that the server may stop reading.
    func sendWhileTaken(_ bytes: [UInt8]) { try? connection.send(bytes) }

    /// Sends a minimal GET.
    func get(_ target: String, _ fields: String...) throws {
        try send("GET \(target) HTTP/1.1\r\nHost: test\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    /// Reads the next reply, framed by its length or by chunks.
    func reply(toHead: Bool = false) throws -> RawReply {
        while true {
            if let (reply, length) = RawReply.parse(pending, isForHead: toHead) {
                pending.removeFirst(length)
                return reply
            }
            let piece = try connection.receive()
            guard !piece.isEmpty else {
                throw NeverHappened(description: "a reply, only \(String(decoding: pending, as: UTF8.self)) came")
            }
            pending += piece
        }
    }

    /// Reads this number of bytes after the last reply.
    func bytes(_ count: Int) throws -> [UInt8] {
        if pending.count < count { pending += try connection.receive(exactly: count - pending.count) }
        defer { pending.removeFirst(count) }
        return Array(pending[..<count])
    }

    /// Reads everything until the server closes.
    func rest() throws -> String {
        defer { pending = [] }
        return String(decoding: pending + (try connection.receiveToEnd()), as: UTF8.self)
    }
}

/// A parsed reply.
struct RawReply {
    var status: Int
    var head: String
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of a field, by its name in any case.
    subscript(_ name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts[0].lowercased() == name.lowercased() { return String(parts[1].drop { $0 == " " }) }
        }
        return nil
    }

    /// Parses the reply at the start of `bytes` and returns its length; nil if it is incomplete.
    static func parse(_ bytes: [UInt8], isForHead: Bool) -> (RawReply, Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        var reply = RawReply(status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head)
        if isForHead || reply.status < 200 || reply.status == 204 || reply.status == 304 { return (reply, end) }
        if reply["Transfer-Encoding"] == "chunked" {
            return reply.takeChunks(bytes, from: end).map { (reply, $0) }
        }
        let bodyEnd = end + (reply["Content-Length"].flatMap { Int($0) } ?? 0)
        guard bytes.count >= bodyEnd else { return nil }
        reply.body = Array(bytes[end..<bodyEnd])
        return (reply, bodyEnd)
    }

    private mutating func takeChunks(_ bytes: [UInt8], from start: Int) -> Int? {
        var position = start
        while let line = bytes[position...].firstRange(of: [13, 10]) {
            let size = Int(String(decoding: bytes[position..<line.lowerBound], as: UTF8.self), radix: 16)
            guard let size, bytes.count >= line.upperBound + size + 2 else { return nil }
            body += bytes[line.upperBound..<(line.upperBound + size)]
            position = line.upperBound + size + 2
            if size == 0 { return position }
        }
        return nil
    }
}
