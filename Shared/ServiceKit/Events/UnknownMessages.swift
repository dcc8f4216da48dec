internal import Synchronization
public import Telemetry

/// Counts and logs messages of other services that this service does not understand, and so skips.
///
/// A newer release of another service may send types or forms that this release does not know. Each type of each source
/// is logged once in the life of the process and counted in `maru_messages_unknown_total`.
public final class UnknownMessages: Sendable {
    private struct Kind: Hashable {
        let source: String
        let type: String
    }

    private let metrics: MetricsRegistry
    private let log: Log
    private let counters = Mutex<[Kind: Counter]>([:])

    /// Types that have a label of their own; all others share the label `other`.
    private static let mostTypes = 50
    private static let longestType = 40

    public init(metrics: MetricsRegistry, log: Log) {
        self.metrics = metrics
        self.log = log
    }

    /// Counts a message of an unknown type, or one that cannot be read.
    ///
    /// - Parameters:
    ///   - type: the type that the message names; nil if it names none.
    ///   - source: the stream or channel, such as `facts:workspace`; `room` for the channels of all rooms.
    public func count(type: String?, from source: String) {
        let kind = Kind(source: source, type: Self.label(of: type))
        let (counter, isFirst) = counters.withLock { counters -> (Counter, Bool) in
            if let known = counters[kind] { return (known, false) }
            let label = counters.count < Self.mostTypes ? kind : Kind(source: source, type: "other")
            let counter = metrics.counter(
                "maru_messages_unknown_total",
                "Messages of other services that were skipped because they cannot be read.",
                labels: ["source": label.source, "type": label.type])
            if label == kind || counters[label] == nil { counters[label] = counter }
            return (counter, label == kind)
        }
        counter.increment()
        guard isFirst else { return }
        log.warning("a message cannot be read and is skipped", ["source": .name(source), "type": .name(kind.type)])
    }

    private static func label(of type: String?) -> String {
        guard let type, !type.isEmpty else { return "none" }
        let isName = type.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isName && type.utf8.count <= longestType ? type : "other"
    }
}
