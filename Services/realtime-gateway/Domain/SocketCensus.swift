import EngineIO
import Synchronization
import Telemetry

/// Counts the sockets of all loops, by transport and client profile, and what waits in them: each loop counts its own every
/// few seconds, so that nothing is counted while messages travel.
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

    /// The count of one loop.
    struct Count {
        var sockets: [Kind: Int] = [:]
        var queuedBytes = 0
    }

    static let interval = Duration.seconds(15)

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
