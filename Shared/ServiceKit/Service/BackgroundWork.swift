internal import Contract
internal import EventLoop
internal import Telemetry

/// Work that a service does beside its calls, such as a relay or a clean-up, from its start to its end.
struct BackgroundWork: Sendable {
    /// Runs on the loop that it is given until its task is cancelled.
    typealias Body = @Sendable (EventLoop) async throws -> Void

    let name: StaticString
    let body: Body

    private static let shortestPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)
    /// Work that ran this long before it ended is restarted after the shortest pause.
    private static let healthyRun: UInt64 = 60_000_000_000
    /// While a service starts, the services that it calls may still be starting too.
    private static let startTime: UInt64 = 30_000_000_000

    /// Work that runs until its task is cancelled.
    init(_ name: StaticString, _ body: @escaping Body) {
        self.name = name
        self.body = body
    }

    /// Work that is repeated: at once, and `pause` after each run has ended.
    init(_ name: StaticString, every pause: Duration, _ body: @escaping @Sendable () async throws -> Void) {
        self.init(name) { loop in
            while !Task.isCancelled {
                try await body()
                try await loop.sleep(for: pause)
            }
        }
    }

    /// Starts the work on `loop`. If it throws or returns, it is restarted after a pause that doubles each time.
    func start(on loop: EventLoop, log: Log) -> Task<Void, Never> {
        Task(executorPreference: loop) {
            var pause = Self.shortestPause
            let startEnd = loop.now + Self.startTime
            while !Task.isCancelled {
                let start = loop.now
                do {
                    try await body(loop)
                } catch {
                    if Task.isCancelled { return }
                    if loop.now < startEnd, Failure(causedBy: error) == .unavailable {
                        log.info("background work waits for another service", ["work": .word(name)])
                    } else {
                        log.error("background work failed", ["work": .word(name), "cause": .cause(error)])
                    }
                }
                if loop.now - start > Self.healthyRun { pause = Self.shortestPause }
                do { try await loop.sleep(for: pause) } catch { return }
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }
}
