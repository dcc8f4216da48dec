import Glibc

/// A TCP connection to the loopback address that sends exactly what it is told to. It blocks, for at most its patience.
public final class RawConnection: Sendable {
    private let descriptor: Int32

    /// Connects; `patience`, longer where all is slow, bounds every later call.
    public init(port: UInt16, patience: Duration = .seconds(60)) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let (seconds, attoseconds) = patience.patiently.components
        var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in.loopback(port)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw NeverHappened(description: "connect to port \(port): errno \(errno)") }
    }

    deinit { close(descriptor) }

    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    public func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw NeverHappened(description: "send: errno \(errno)") }
            sent += count
        }
    }

    /// Tells the peer that no more comes.
    public func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Lets closing, with the last reference, reset the connection instead of ending it.
    public func resetWhenClosed() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// What has come, as soon as anything has; empty at the end.
    public func receive(atMost limit: Int = 65_536) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &bytes, limit, 0)
        if count < 0 && errno == ECONNRESET { return [] }
        guard count >= 0 else { throw NeverHappened(description: "receive: errno \(errno)") }
        return Array(bytes[..<count])
    }

    /// Exactly so many bytes.
    public func receive(exactly wanted: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < wanted {
            let more = try receive(atMost: min(65_536, wanted - bytes.count))
            guard !more.isEmpty else { throw NeverHappened(description: "\(wanted) bytes, only \(bytes.count) came") }
            bytes += more
        }
        return bytes
    }

    /// All up to `mark` and it.
    public func receive(until mark: String) throws -> String {
        let mark = Array(mark.utf8)
        var bytes: [UInt8] = []
        while bytes.suffix(mark.count) != mark[...] { bytes += try receive(exactly: 1) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// All that comes before the peer ends.
    public func receiveToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while case let more = try receive(), !more.isEmpty { bytes += more }
        return bytes
    }
}
