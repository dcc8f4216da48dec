public import EventLoop

/// Asks for many things in one question: what is asked for while a question is under way makes the next one.
///
/// Nothing is kept. An answer comes from a question that began after whoever gets it had asked, so it is as fresh
/// as that of a question of one's own, and the busier a loop is, the smaller the share that each pays.
public final class GatheredReads<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Asks for distinct keys; what there is nothing of is absent.
    public typealias Question = @Sendable ([Key]) async throws -> [Key: Value]

    private let lanes: LoopLocal<ReadLane<Key, Value>>

    /// - Parameters:
    ///   - limit: keys in one question at most.
    ///   - patience: a question that takes longer does not hold up the next.
    public init(
        on loops: EventLoopGroup, limit: Int = 500, patience: Duration = .milliseconds(5),
        _ question: @escaping Question
    ) {
        lanes = LoopLocal(loops) { ReadLane(on: $0, limit: limit, patience: patience, question) }
    }

    /// The value of a key, nil where there is none; what its question throws is thrown to all who are in it.
    /// To be called on a loop.
    public func value(of key: Key) async throws -> Value? {
        try await withUnsafeThrowingContinuation { lanes.current.add(key, $0) }
    }
}

/// What one loop asks.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
private final class ReadLane<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
    typealias Continuation = UnsafeContinuation<Value?, any Error>

    private let loop: EventLoop
    private let limit: Int
    private let patience: Duration
    private let question: GatheredReads<Key, Value>.Question
    private var waiting: [(key: Key, continuation: Continuation)] = []
    private var underWay = 0
    /// Until when the latest question holds up the next, in the loop's time.
    private var holdsUntil: UInt64 = 0
    private var isDue = false

    private static var mostUnderWay: Int { 16 }

    init(on loop: EventLoop, limit: Int, patience: Duration, _ question: @escaping GatheredReads<Key, Value>.Question) {
        self.loop = loop
        self.limit = limit
        self.patience = patience
        self.question = question
    }

    func add(_ key: Key, _ continuation: Continuation) {
        waiting.append((key, continuation))
        if underWay == 0 || loop.now >= holdsUntil { beginSoon() }
    }

    /// At the end of the turn, so that all who come in it are together.
    private func beginSoon() {
        guard !isDue, !waiting.isEmpty, underWay < Self.mostUnderWay else { return }
        isDue = true
        loop.atEndOfTick { [self] in
            isDue = false
            begin()
        }
    }

    private func begin() {
        let asked = Array(waiting.prefix(limit))
        waiting.removeFirst(asked.count)
        underWay += 1
        holdsUntil = loop.now + UInt64(patience.wholeNanoseconds)
        let impatience = loop.schedule(after: patience) { [self] in beginSoon() }
        Task(executorPreference: loop) { [self] in
            do {
                let answers = try await question(Array(Set(asked.map(\.key))))
                for (key, continuation) in asked { continuation.resume(returning: answers[key]) }
            } catch {
                for (_, continuation) in asked { continuation.resume(throwing: error) }
            }
            impatience.cancel()
            underWay -= 1
            beginSoon()
        }
    }
}
