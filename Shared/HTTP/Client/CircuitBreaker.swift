internal import EventLoop

/// Stops asking a server that does not answer, so that neither it nor those who wait for it drown.
///
/// Closed, it admits all and counts failures over a sliding window. When too large a share fails it opens:
/// nothing is admitted for a while. Then, half open, it admits one call at a time to probe: a success closes it,
/// a failure opens it for twice as long. Time is injected, as monotonic nanoseconds; it belongs to one loop.
public struct CircuitBreaker: Sendable {
    /// When to open and for how long.
    public struct Configuration: Sendable {
        /// Failures are counted over the last one to two halves of this.
        public var window = Duration.seconds(10)
        /// So many calls in the window at least, before their share of failures means something.
        public var minimumCalls = 10
        /// Opens from this share of failures on.
        public var failureShare = 0.5
        /// How long it stays open the first time.
        public var openTime = Duration.seconds(1)
        /// How long at most, after failed probes.
        public var longestOpenTime = Duration.seconds(30)

        /// The defaults.
        public init() {}
    }

    /// Leave to call, to be given back with what came of it.
    public struct Admission: Hashable, Sendable {
        fileprivate let generation: UInt64
    }

    /// What a call says of the server's health.
    public enum Outcome: Sendable {
        /// It answered.
        case success
        /// It did not, or answered that it cannot.
        case failure
        /// Nothing, such as a call that its caller cancelled.
        case unknown
    }

    private enum State {
        case closed
        case open(until: UInt64)
        /// A probe not reported by `until` is taken for lost.
        case halfOpen(until: UInt64)
    }

    private let configuration: Configuration
    private var state = State.closed
    private var window: FailureWindow
    private var openTime: Duration
    /// Rises with every change of state: what was admitted before says nothing of what is now.
    private var generation: UInt64 = 0

    /// Begins closed.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        window = FailureWindow(half: configuration.window / 2)
        openTime = configuration.openTime
    }

    /// Leave to call now, or nil where the call must be refused.
    public mutating func admit(at now: UInt64) -> Admission? {
        switch state {
        case .closed: break
        case .open(let end), .halfOpen(let end):
            guard now >= end else { return nil }
            change(to: .halfOpen(until: Self.moment(openTime, after: now)))
        }
        return Admission(generation: generation)
    }

    /// Takes note of what came of an admitted call.
    public mutating func record(_ outcome: Outcome, of admission: Admission, at now: UInt64) {
        guard admission.generation == generation else { return }
        switch (state, outcome) {
        case (.closed, .success), (.closed, .failure):
            window.count(isFailure: outcome == .failure, at: now)
            if window.calls >= configuration.minimumCalls, window.share >= configuration.failureShare { open(at: now) }
        case (.halfOpen, .success):
            openTime = configuration.openTime
            window = FailureWindow(half: configuration.window / 2)
            change(to: .closed)
        case (.halfOpen, .failure):
            openTime = min(openTime * 2, configuration.longestOpenTime)
            open(at: now)
        case (.halfOpen, .unknown):
            change(to: .open(until: now))
        case (.closed, .unknown), (.open, _): break
        }
    }

    private mutating func open(at now: UInt64) { change(to: .open(until: Self.moment(openTime, after: now))) }

    private mutating func change(to state: State) {
        self.state = state
        generation += 1
    }

    private static func moment(_ duration: Duration, after now: UInt64) -> UInt64 { now &+ duration.wholeNanoseconds }
}
