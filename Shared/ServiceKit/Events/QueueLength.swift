public import Wire

/// The length of a queue in a table at one moment.
public struct QueueLength: Sendable {
    /// Counted up to `mostCounted`, so that a long queue is not read as a whole.
    public let rows: Int
    /// The time of the oldest row; nil if the queue is empty.
    public let oldest: Timestamp?

    /// The most rows that a statement for a queue should count.
    public static let mostCounted = 100_000

    public init(rows: Int, oldest: Timestamp?) {
        self.rows = rows
        self.oldest = oldest
    }

    /// The age of the oldest row in seconds.
    func age(now: Timestamp) -> Double {
        oldest.map { max(0, Double(now.milliseconds - $0.milliseconds) / 1000) } ?? 0
    }
}
