internal import CPostgres
internal import EventLoop

/// One session with the server: statements go out in a pipeline and results come back in the same order.
/// What writes has a sync of its own, so that the failure of one never touches another; plain reads of
/// one turn of the loop share one.
///
/// A caller is answered only at its sync, because the commit happens there. The server answers every sync with a packet
/// of its own, and libpq 15 sends one for each: sharing them took a read at depth 32 from 3.0 to 0.5 us of the client's
/// processor and from 8 to 5 us of the server's.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class PostgresConnection: @unchecked Sendable {
    /// What has been sent and not been answered yet.
    enum InFlight {
        case prepare(PreparedStatement)
        case requests(RequestGroup)
    }

    let loop: EventLoop
    let configuration: PostgresConfiguration
    let blocking: BlockingPool
    /// Held until the connection is closed.
    private(set) var owner: (any ConnectionOwner)?

    let raw: OpaquePointer
    var inFlight = FIFO<InFlight>()
    /// The last of those in flight, while its sync has not been sent.
    var openGroup: RequestGroup?
    /// How many requests are under way.
    var depth = 0
    var statements: [PreparedStatement.Key: PreparedStatement] = [:]
    var failures: [PreparedStatement.Key: PostgresError] = [:]
    var statementCount = 0
    var script: ScriptRun?
    private(set) var isClosed = false
    /// A transaction has it for itself.
    var isLeased = false
    /// A cancellation is on its way to the server; what is sent now might be hit.
    var isCancelling = false
    /// The server may have been told to cancel and not have done so: what it executes next can be hit.
    var isCancelDue = false
    /// The first request since then, behind which nothing is hit any more.
    var firstAfterCancel: Request?
    var head: HeadWatch
    /// Monotonic nanoseconds.
    var lastUse: UInt64

    private var watch: DescriptorWatch?
    private var isWaitingForRoom = false
    private var deadlineTimer: LoopTimer?
    private var armedDeadline = UInt64.max
    private var idleTimer: LoopTimer?

    /// Takes over an established session in pipeline mode; nil where the process has no descriptor left.
    init?(
        _ raw: OpaquePointer, _ configuration: PostgresConfiguration, on loop: EventLoop, blocking: BlockingPool,
        owner: any ConnectionOwner
    ) {
        self.raw = raw
        self.configuration = configuration
        self.loop = loop
        self.blocking = blocking
        self.owner = owner
        head = HeadWatch(
            grace: configuration.cancelGrace.wholeNanoseconds, limit: configuration.stallLimit.wholeNanoseconds)
        lastUse = loop.now
        watch = DescriptorWatch(PQsocket(raw), for: .readable, on: loop) { [unowned self] in ready($0) }
        if watch == nil { return nil }
        idleTimer = loop.schedule(after: configuration.idleTimeout) { [unowned self] in closeIfIdle() }
    }

    // MARK: The socket

    private func ready(_ events: IOEvents) {
        if events.contains(.writable) && !flush() { return close(lost()) }
        let isAlive = PQconsumeInput(raw) == 1
        receiveResults()
        if !isAlive && !isClosed { close(lost()) }
    }

    /// Sends what is left; where the kernel takes no more, waits until it does. False where the connection is lost.
    func flush() -> Bool {
        let result = PQflush(raw)
        let mustWait = result == 1
        if mustWait != isWaitingForRoom, let watch {
            isWaitingForRoom = mustWait
            watch.wait(for: mustWait ? [.readable, .writable] : .readable)
        }
        return result >= 0
    }

    func lost() -> PostgresError {
        let message = String(cString: PQerrorMessage(raw)).split(separator: "\n").joined(separator: "; ")
        return PostgresError(.connectionLost, message: message)
    }

    // MARK: Time

    /// Sees to it that `checkDeadlines` is called at `deadline`.
    func arm(for deadline: UInt64) {
        guard deadline < armedDeadline else { return }
        armedDeadline = deadline
        let delay = Duration.nanoseconds(Int64(deadline > loop.now ? deadline - loop.now : 0))
        if let deadlineTimer { return deadlineTimer.restart(after: delay) }
        deadlineTimer = loop.schedule(after: delay) { [unowned self] in
            armedDeadline = .max
            checkDeadlines()
        }
    }

    private func closeIfIdle() {
        let unused = Duration.nanoseconds(Int64(loop.now - lastUse))
        if unused >= configuration.idleTimeout, depth == 0, !isLeased, owner?.mayCloseIdle(self) == true {
            close()
        } else {
            let rest = configuration.idleTimeout - unused
            idleTimer?.restart(after: rest > .zero ? rest : configuration.idleTimeout)
        }
    }

    // MARK: Ending

    /// Ends the session; what is under way fails with `reason`.
    func close(_ reason: PostgresError = .closed) {
        guard !isClosed else { return }
        isClosed = true
        deadlineTimer?.cancel()
        idleTimer?.cancel()
        watch?.stop()
        watch = nil
        PQfinish(raw)
        var unanswered = inFlight
        inFlight = FIFO()
        openGroup = nil
        script?.finish(.failure(reason))
        script = nil
        while let entry = unanswered.popFirst() {
            guard case .requests(let group) = entry else { continue }
            for request in group.requests { settle(request, .failed(reason)) }
        }
        let owner = owner
        self.owner = nil
        owner?.closed(self)
    }

    func answer(_ request: Request, _ outcome: Request.Outcome) {
        request.answer(outcome, now: loop.now, report: configuration.onStatement)
    }

    /// Answers for good: the server has nothing more to say.
    func settle(_ request: Request, _ outcome: Request.Outcome) {
        answer(request, outcome)
        guard let finished = request.finished else { return }
        request.finished = nil
        if case .failed(let error) = outcome { finished(error) } else { finished(nil) }
    }
}

/// Who made a connection and is told of its fate.
protocol ConnectionOwner: AnyObject {
    /// Something was answered: there is room for more.
    func hasRoom(_ connection: PostgresConnection)
    /// Takes back a request that failed through no fault of its own and has taken no effect.
    func takeBack(_ request: Request)
    func mayCloseIdle(_ connection: PostgresConnection) -> Bool
    func closed(_ connection: PostgresConnection)
}
