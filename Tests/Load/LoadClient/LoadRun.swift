public import EventLoop

/// Runs journeys on connections, as fast as possible or at a given rate. A journey is a sequence of requests.
///
/// - Note: Loop-local.
public final class LoadRun {
    /// Runs one journey and calls `end` with the cause of a failure, or nil.
    public typealias Journey = (LoadConnection, _ number: Int, _ end: @escaping (String?) -> Void) -> Void

    private let loop: EventLoop
    private let connections: [LoadConnection]
    private var outcome = LoadOutcome()
    private var number = 0
    private var running = 0
    private var isOver = false
    private var idle: [LoadConnection] = []
    /// The planned starts of journeys that wait for a free connection.
    private var due: [UInt64] = []
    private var journey: Journey = { _, _, _ in }
    private var waiter: CheckedContinuation<Void, Never>?

    public init(on loop: EventLoop, _ connections: [LoadConnection]) {
        self.loop = loop
        self.connections = connections
    }

    /// Closed loop: every connection runs one journey after the other. Uses batch scheduling.
    public func closed(for duration: Duration, _ journey: @escaping Journey) async -> LoadOutcome {
        BatchScheduling.begin()
        defer { BatchScheduling.end() }
        return await measure(journey) { run in
            for connection in run.connections { run.repeatJourneys(on: connection) }
            run.loop.schedule(after: duration) { run.finish() }
        }
    }

    /// Open loop: journeys start at a fixed rate, even if earlier ones have not ended. A late start counts as latency,
    /// so the client does not use batch scheduling.
    public func open(rate: Double, for duration: Duration, _ journey: @escaping Journey) async -> LoadOutcome {
        await measure(journey) { run in
            run.idle = run.connections
            let pace = Pace(rate: rate, start: run.loop.now, end: run.loop.now + UInt64(duration / .nanoseconds(1)))
            let run = Unchecked(run)
            pace.run(on: run.value.loop, { run.value.launch($0) }, finish: { run.value.finish() })
        }
    }

    private func measure(_ journey: @escaping Journey, _ begin: (LoadRun) -> Void) async -> LoadOutcome {
        outcome = LoadOutcome()
        isOver = false
        due = []
        self.journey = journey
        let start = loop.now
        begin(self)
        await withCheckedContinuation { waiter = $0 }
        outcome.seconds = Double(loop.now - start) / 1e9
        outcome.latencies.sort()
        outcome.lateness.sort()
        return outcome
    }

    private func repeatJourneys(on connection: LoadConnection) {
        guard !isOver else { return endIfDone() }
        begin(on: connection, due: loop.now) { [self] in repeatJourneys(on: connection) }
    }

    private func finish() {
        isOver = true
        endIfDone()
    }

    private func launch(_ moments: [UInt64]) {
        // The cached time of the loop may be older than the moments.
        let now = EventLoop.preciseNow
        outcome.lateness += moments.map { now - $0 }
        due += moments
        serveDue()
    }

    private func serveDue() {
        while !due.isEmpty, let connection = takeIdle() {
            begin(on: connection, due: due.removeFirst()) { [self] in
                idle.append(connection)
                serveDue()
                endIfDone()
            }
        }
    }

    /// A random one, so that all connections are used.
    private func takeIdle() -> LoadConnection? {
        guard let index = idle.indices.randomElement() else { return nil }
        idle.swapAt(index, idle.count - 1)
        return idle.removeLast()
    }

    private func begin(on connection: LoadConnection, due: UInt64, _ next: @escaping () -> Void) {
        number += 1
        running += 1
        journey(connection, number) { [self] failure in
            running -= 1
            if let failure {
                outcome.failures[failure, default: 0] += 1
            } else {
                outcome.count += 1
                outcome.latencies.append(loop.now - due)
            }
            next()
        }
    }

    private func endIfDone() {
        guard isOver, running == 0, due.isEmpty else { return }
        waiter?.resume()
        waiter = nil
    }
}
