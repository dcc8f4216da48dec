import EngineIO
import Synchronization
import Telemetry

/// Counts the sockets of all loops by transport and client profile, and their queued bytes. Each socket updates its loop's
/// count when it opens and ends, when it begins to read slowly, and with its heartbeats, which touch its memory anyway. A
/// scan of all sockets was a twenty-fifth of the cost of idle ones.
final class SocketCensus: MetricsSource {
    /// The labels of a count.
    struct Kind: Hashable, Comparable {
        let transport: EngineTransport
        /// `none` for a socket without an identity.
        let profile: String

        static func < (first: Kind, second: Kind) -> Bool {
            (first.transport.rawValue, first.profile) < (second.transport.rawValue, second.profile)
        }
    }

    /// One socket's part in the count.
    struct Socket: Equatable {
        let kind: Kind
        let queuedBytes: Int
    }

    /// The count of one loop.
    struct Count {
        private(set) var sockets: [Kind: Int] = [:]
        private(set) var queuedBytes = 0

        mutating func add(_ socket: Socket) {
            sockets[socket.kind, default: 0] += 1
            queuedBytes += socket.queuedBytes
        }

        mutating func remove(_ socket: Socket) {
            sockets[socket.kind, default: 0] -= 1
            queuedBytes -= socket.queuedBytes
        }
    }

    static let interval = Duration.seconds(5)

    private let counts = Mutex<[Int: Count]>([:])

    /// Replaces the count of a loop.
    func note(_ count: Count, ofLoop index: Int) { counts.withLock { $0[index] = count } }

    func write(to page: inout MetricsPage) {
        let counts = counts.withLock { Array($0.values) }
        var sockets: [Kind: Int] = [:]
        for count in counts { sockets.merge(count.sockets, uniquingKeysWith: +) }
        page.begin("maru_sockets", .gauge, "Open sockets by transport and client profile.")
        for (kind, count) in sockets.sorted(by: { $0.key < $1.key }) {
            page.value(Double(count), labels: ["transport": kind.transport.rawValue, "profile": kind.profile])
        }
        page.begin("maru_socket_queue_bytes", .gauge, "Bytes that are queued for sockets.")
        page.value(Double(counts.reduce(0) { $0 + $1.queuedBytes }))
    }
}
