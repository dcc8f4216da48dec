public import EventLoop

/// Reads many values with one fetch: the keys that are asked for while a fetch is in progress make the next one.
///
/// Nothing is cached. A value comes from a fetch that began after its reader had asked, so it is as fresh as a fetch of
/// its own would make it. The busier a loop is, the more readers share a fetch.
public final class GatheredReads<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Reads the values of distinct keys; keys without a value are missing from the result.
    public typealias Fetch = @Sendable ([Key]) async throws -> [Key: Value]

    private let queues: LoopLocal<ReadQueue<Key, Value>>

    /// - Parameters:
    ///   - limit: keys in one fetch at most.
    ///   - overlap: the next fetch does not wait longer than this for the one before it.
    public init(
        on loops: EventLoopGroup, limit: Int = 500, overlap: Duration = .milliseconds(5), _ fetch: @escaping Fetch
    ) {
        queues = LoopLocal(loops) { ReadQueue(on: $0, limit: limit, overlap: overlap, fetch) }
    }

    /// The value of a key; nil if it has none. An error of a fetch is thrown to all its readers. Call it on a loop.
    public func value(of key: Key) async throws -> Value? {
        try await withUnsafeThrowingContinuation { queues.current.add(key, $0) }
    }
}

/// The readers of one loop.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
private final class ReadQueue<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    typealias Continuation = UnsafeContinuation<Value?, any Error>

    private let loop: EventLoop
    private let limit: Int
    private let overlap: Duration
    private let fetch: GatheredReads<Key, Value>.Fetch
    private var waiting: [(key: Key, continuation: Continuation)] = []
    private var inProgress = 0
    /// Until this time, in the loop's time, the next fetch waits for the latest one.
    private var waitsUntil: UInt64 = 0
    private var isScheduled = false

    private static var mostInProgress: Int { 16 }

    init(on loop: EventLoop, limit: Int, overlap: Duration, _ fetch: @escaping GatheredReads<Key, Value>.Fetch) {
        self.loop = loop
        self.limit = limit
        self.overlap = overlap
        self.fetch = fetch
    }

    func add(_ key: Key, _ continuation: Continuation) {
        waiting.append((key, continuation))
        if inProgress == 0 || loop.now >= waitsUntil { scheduleFetch() }
    }

    /// Begins a fetch at the end of the turn, so that all readers of the turn share it.
    private func scheduleFetch() {
        guard !isScheduled, !waiting.isEmpty, inProgress < Self.mostInProgress else { return }
        isScheduled = true
        loop.executeAtEndOfTurn { [self] in
            isScheduled = false
            begin()
        }
    }

    private func begin() {
        let readers = Array(waiting.prefix(limit))
        waiting.removeFirst(readers.count)
        inProgress += 1
        waitsUntil = loop.now + UInt64(overlap.wholeNanoseconds)
        let timer = loop.schedule(after: overlap) { [self] in scheduleFetch() }
        Task(executorPreference: loop) { [self] in
            do {
                let values = try await fetch(Array(Set(readers.map(\.key))))
                for (key, continuation) in readers { continuation.resume(returning: values[key]) }
            } catch {
                for (_, continuation) in readers { continuation.resume(throwing: error) }
            }
            timer.cancel()
            inProgress -= 1
            scheduleFetch()
        }
    }
}
