import Glibc

/// A TCP connection to the loopback address that sends exactly the given bytes. Its calls block until their time-out.
public final class RawConnection: Sendable {
    private let descriptor: Int32

    /// Connects; `timeout`, times `MARU_PATIENCE`, applies to every later call.
    ///
    /// - Parameter receiveBuffer: bytes that the kernel takes for a caller that reads nothing; nil for its default.
    public init(port: UInt16, patience: Duration = .seconds(60), receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let (seconds, attoseconds) = patience.patiently.components
        var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
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

    /// The port of this end.
    public var localPort: UInt16 { Self.port(of: descriptor, getsockname) ?? 0 }

    /// Makes a server of this process unable to send on its end of the connection, which it finds out when it next tries.
    public func breakOtherEnd() {
        let own = localPort
        for other in 3..<Int32(getdtablesize()) where Self.port(of: other, getpeername) == own {
            shutdown(other, Int32(SHUT_WR))
        }
    }

    /// A port of an IPv4 socket; nil for another file.
    private static func port(
        of descriptor: Int32,
        _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &length) }
        }
        return result == 0 && address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : nil
    }

    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    public func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = Self.unlessStopped {
                bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
                }
            }
            guard count > 0 else { throw NeverHappened(description: "send: errno \(errno)") }
            sent += count
        }
    }

    /// Ends the output (SHUT_WR).
    public func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes closing, with the last reference, reset the connection instead of ending it.
    public func resetWhenClosed() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// Waits for bytes and returns those that have arrived; empty at the end of input.
    public func receive(atMost limit: Int = 65_536) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Self.unlessStopped { recv(descriptor, &bytes, limit, 0) }
        if count < 0 && errno == ECONNRESET { return [] }
        guard count >= 0 else { throw NeverHappened(description: "receive: errno \(errno)") }
        return Array(bytes[..<count])
    }

    /// Repeats a call that waits with a time limit: it fails when the process is stopped and goes on, as with Ctrl-Z.
    private static func unlessStopped(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Receives exactly `wanted` bytes.
    public func receive(exactly wanted: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < wanted {
            let more = try receive(atMost: min(65_536, wanted - bytes.count))
            guard !more.isEmpty else { throw NeverHappened(description: "\(wanted) bytes, only \(bytes.count) came") }
            bytes += more
        }
        return bytes
    }

    /// Receives everything up to and including `mark`.
    public func receive(until mark: String) throws -> String {
        let mark = Array(mark.utf8)
        var bytes: [UInt8] = []
        while bytes.suffix(mark.count) != mark[...] { bytes += try receive(exactly: 1) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Receives everything until the peer ends.
    public func receiveToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while case let more = try receive(), !more.isEmpty { bytes += more }
        return bytes
    }
}
