import EngineIO
import Synchronization
import Telemetry

/// Counts the sockets of all loops, by transport and client profile, and what waits in them. Each socket tells its loop's
/// count of itself when it comes and goes and with its heartbeats, for which its memory is fetched anyway; to go through
/// all of them was a twenty-fifth of what idle ones cost.
final class SocketCensus: MetricsSource {
    /// What sockets are counted by.
    struct Kind: Hashable, Comparable {
        let transport: EngineTransport
        /// `none` for a socket that has not said whose it is.
        let profile: String

        static func < (first: Kind, second: Kind) -> Bool {
            (first.transport.rawValue, first.profile) < (second.transport.rawValue, second.profile)
        }
    }

    /// What is counted of one socket.
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

    /// Takes the count of a loop in place of its last one.
    func note(_ count: Count, ofLoop index: Int) { counts.withLock { $0[index] = count } }

    func write(to page: inout MetricsPage) {
        let counts = counts.withLock { Array($0.values) }
        var sockets: [Kind: Int] = [:]
        for count in counts { sockets.merge(count.sockets, uniquingKeysWith: +) }
        page.begin("maru_sockets", .gauge, "Sockets that are open, by transport and client profile.")
        for (kind, count) in sockets.sorted(by: { $0.key < $1.key }) {
            page.value(Double(count), labels: ["transport": kind.transport.rawValue, "profile": kind.profile])
        }
        page.begin("maru_socket_queue_bytes", .gauge, "Bytes that wait for sockets to take them.")
        page.value(Double(counts.reduce(0) { $0 + $1.queuedBytes }))
    }
}
