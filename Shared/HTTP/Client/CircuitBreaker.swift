internal import EventLoop

/// Stops calls to a server that fails, so that neither the server nor its callers are overloaded.
///
/// When closed, it admits all calls and counts failures over a sliding window. When the share of failures is too large,
/// it opens: it admits no call for a while. Then it is half open and admits one probe at a time: a success closes it, a
/// failure opens it for twice as long. Times are passed in, as monotonic nanoseconds. It belongs to one loop.
public struct CircuitBreaker: Sendable {
    /// When to open, and for how long.
    public struct Configuration: Sendable {
        /// Failures are counted over the last one to two intervals of half this length.
        public var window = Duration.seconds(10)
        /// The least number of calls in the window for the share of failures to count.
        public var minimumCalls = 10
        /// Opens from this share of failures on.
        public var failureShare = 0.5
        /// How long it stays open the first time.
        public var openTime = Duration.seconds(1)
        /// How long it stays open at most, after failed probes.
        public var longestOpenTime = Duration.seconds(30)

        /// The defaults.
        public init() {}
    }

    /// The permission for one call, to be returned with its outcome.
    public struct Admission: Hashable, Sendable {
        fileprivate let generation: UInt64
    }

    /// The server's health as one call shows it.
    public enum Outcome: Sendable {
        /// The server answered.
        case success
        /// The server did not answer, or answered that it cannot serve.
        case failure
        /// Nothing: the caller cancelled the call, for example.
        case unknown
    }

    private enum State {
        case closed
        case open(until: UInt64)
        /// A probe that is not reported before `until` counts as lost.
        case halfOpen(until: UInt64)
    }

    private let configuration: Configuration
    private var state = State.closed
    private var window: FailureWindow
    private var openTime: Duration
    /// Increases with every change of state: outcomes of calls admitted before are ignored.
    private var generation: UInt64 = 0

    /// Begins closed.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        window = FailureWindow(half: configuration.window / 2)
        openTime = configuration.openTime
    }

    /// Admits a call now; nil if the call must be refused.
    public mutating func admit(at now: UInt64) -> Admission? {
        switch state {
        case .closed: break
        case .open(let end), .halfOpen(let end):
            guard now >= end else { return nil }
            change(to: .halfOpen(until: Self.moment(openTime, after: now)))
        }
        return Admission(generation: generation)
    }

    /// Records the outcome of an admitted call.
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
