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
    private let messagesBehind: Gauge
    private let last = Mutex((rooms: 0, messages: 0))

    init(_ registry: MetricsRegistry) {
        indexed = registry.counter("maru_search_indexed_total", "Messages and changes written to the search index.")
        lag = registry.histogram(
            "maru_search_lag_seconds", "The time from the commit of a message until a search can find it.")
        incomplete = registry.counter(
            "maru_search_incomplete_total",
            "Searches that ended at their time limit or with rooms that are not indexed.")
        roomsBehind = registry.gauge(
            "maru_search_rooms_behind", "Rooms that the last look found with messages outside of the search index.")
        messagesBehind = registry.gauge(
            "maru_search_messages_behind",
            "Messages and changes outside of the search index: those of the last look without those written since.")
    }

    /// Sets the backlog that a look has found.
    func found(_ backlog: SearchBacklog) {
        set(rooms: Int(backlog.roomCount), messages: Int(backlog.messageCount))
    }

    /// Counts messages of the backlog that were written.
    func caughtUp(with messages: Int) {
        let (rooms, behind) = last.withLock(\.self)
        set(rooms: rooms, messages: max(0, behind - messages))
    }

    private func set(rooms: Int, messages: Int) {
        last.withLock { last in
            roomsBehind.add(rooms - last.rooms)
            messagesBehind.add(messages - last.messages)
            last = (rooms, messages)
        }
    }
}
