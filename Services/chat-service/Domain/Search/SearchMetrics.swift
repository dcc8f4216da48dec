import Synchronization
import Telemetry
import Wire

/// The metrics of the search index and of searches.
final class SearchMetrics: Sendable {
    /// Messages written to the index, in steps that may repeat some.
    let indexed: Counter
    let lag: Histogram
    let incomplete: Counter
    private let roomsBehind: Gauge
    private let lastRoomsBehind = Mutex(0)

    init(_ registry: MetricsRegistry) {
        indexed = registry.counter("maru_search_indexed_total", "Messages and changes written to the search index.")
        lag = registry.histogram(
            "maru_search_lag_seconds", "The time from the commit of a message until a search can find it.")
        incomplete = registry.counter(
            "maru_search_incomplete_total",
            "Searches that ended at their time limit or with rooms that are not indexed.")
        roomsBehind = registry.gauge(
            "maru_search_rooms_behind", "Rooms that the last look found with messages outside the index; 1000 at most.")
    }

    func setRoomsBehind(_ count: Int) {
        lastRoomsBehind.withLock { last in
            roomsBehind.add(count - last)
            last = count
        }
    }
}
