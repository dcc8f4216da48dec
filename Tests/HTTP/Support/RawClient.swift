import EventLoop
import Glibc

/// A plain blocking socket that sends exactly the bytes it is told, for talking to a server by the letter or against it.
final class RawClient {
    let descriptor: Int32

    /// Connects to a port of this machine; a read gives up after `patience` seconds.
    init(port: UInt16, patience: Int = 10) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let failure = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard failure == 0 else { throw ClientError.connect(errno) }
    }

    deinit { close(descriptor) }

    enum ClientError: Error {
        case connect(Int32)
        case timeout
        case closed
    }

    /// Sends all of `bytes`; false when the server takes no more.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(text.utf8) }

    /// Tells the server that nothing more comes.
    func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close(descriptor)
    }

    /// What comes next, at most `limit` bytes; empty at the end.
    func read(_ limit: Int = 65536) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, limit, 0)
        if count < 0 {
            if errno == EAGAIN { throw ClientError.timeout }
            return []
        }
        return Array(buffer[..<count])
    }

    /// All that comes until the server closes.
    func readToEnd() throws -> String {
        var all: [UInt8] = []
        while case let piece = try read(), !piece.isEmpty { all += piece }
        return String(decoding: all, as: UTF8.self)
    }

    private var pending: [UInt8] = []

    /// The next reply, read by its Content-Length or chunks.
    func reply(toHead: Bool = false) throws -> RawReply {
        while true {
            if let (reply, length) = RawReply.parse(pending, isForHead: toHead) {
                pending.removeFirst(length)
                return reply
            }
            let piece = try read()
            guard !piece.isEmpty else { throw ClientError.closed }
            pending += piece
        }
    }
}

/// A reply as it came.
struct RawReply {
    var status: Int
    var head: String
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of a field, by its name in any case.
    subscript(_ name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts[0].lowercased() == name.lowercased() { return String(parts[1].drop { $0 == " " }) }
        }
        return nil
    }

    static func parse(_ bytes: [UInt8], isForHead: Bool) -> (RawReply, Int)? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.upperBound], as: UTF8.self)
        let status = Int(head.dropFirst(9).prefix(3)) ?? 0
        var reply = RawReply(status: status, head: head, body: [])
        if isForHead || status < 200 || status == 204 || status == 304 { return (reply, end.upperBound) }
        if reply["Transfer-Encoding"] == "chunked" {
            var position = end.upperBound
            while let line = bytes[position...].firstRange(of: [13, 10]) {
                guard let size = Int(String(decoding: bytes[position..<line.lowerBound], as: UTF8.self), radix: 16),
                    bytes.count >= line.upperBound + size + 2
                else { return nil }
                reply.body += bytes[line.upperBound..<(line.upperBound + size)]
                position = line.upperBound + size + 2
                if size == 0 { return (reply, position) }
            }
            return nil
        }
        let length = reply["Content-Length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= end.upperBound + length else { return nil }
        reply.body = Array(bytes[end.upperBound..<(end.upperBound + length)])
        return (reply, end.upperBound + length)
    }
}
