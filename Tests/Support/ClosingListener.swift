import Glibc
import Synchronization

/// A port that accepts connections and closes them at once.
public final class ClosingListener: Sendable {
    public let port: UInt16
    private let descriptor: Int32
    private let moments = Mutex<[ContinuousClock.Instant]>([])

    public init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                    && listen(descriptor, 64) == 0
            }
        }
        guard isListening else { throw NeverHappened(description: "a listener") }
        port = UInt16(bigEndian: address.sin_port)
        Task { await onOwnThread { [self] in closeAll() } }
    }

    /// The times at which connections were accepted.
    public var accepted: [ContinuousClock.Instant] { moments.withLock(\.self) }

    /// Stops accepting.
    public func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func closeAll() {
        while true {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { break }
            moments.withLock { $0.append(.now) }
            close(connection)
        }
        close(descriptor)
    }
}
