internal import CPostgres
internal import EventLoop
internal import Glibc

/// One session with the server: statements are sent in a pipeline, and results come back in the same order. Each write has
/// its own sync, so that its failure never affects another statement. The reads of one turn of the loop share a sync.
///
/// A caller is answered only at its sync, because the commit happens there. Client and server spend a packet on every sync:
/// sharing lowered the cost of a read at depth 32 from 3.0 to 0.5 µs of the client's processor and from 8 to 5 µs of the
/// server's.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class PostgresConnection: @unchecked Sendable {
    /// A unit of the pipeline that the server has not answered yet.
    enum InFlight {
        case prepare(PreparedStatement)
        case requests(RequestGroup)
    }

    let loop: EventLoop
    let configuration: PostgresConfiguration
    /// The number of its host in the connection string.
    let host: Int
    /// Kept until the connection is closed.
    private(set) var owner: (any ConnectionOwner)?

    let raw: OpaquePointer
    var inFlight = FIFO<InFlight>()
    /// The last group in flight, until its sync is sent.
    var openGroup: RequestGroup?
    /// How many requests are in flight.
    var depth = 0
    var statements: [PreparedStatement.Key: PreparedStatement] = [:]
    var failures: [PreparedStatement.Key: PostgresError] = [:]
    var statementCount = 0
    var script: ScriptRun?
    private(set) var isClosed = false
    /// Whether a transaction uses the connection alone.
    var isLeased = false
    /// A cancellation is being sent to the server; a statement sent now could be hit.
    var isCancelling = false
    /// The server may have received a cancellation without applying it yet: the next statement could be hit.
    var isCancelDue = false
    /// The first request since then; when it has ended, later ones are safe.
    var firstAfterCancel: Request?
    var head: HeadWatch
    /// In monotonic nanoseconds.
    var lastUse: UInt64
    /// When the server sent something, in monotonic nanoseconds.
    private(set) var lastHeard: UInt64
    /// Since when a statement waits, if the server has sent nothing since then.
    var busySince: UInt64
    /// The server refused a write as one that must not write.
    var hasRefusedWrite = false
    /// The server gave up the wait for its standby: a commit in flight may be lost with this server.
    private(set) var hasUnreplicatedCommit = false

    private var watch: DescriptorWatch?
    private var isWaitingForRoom = false
    private var deadlineTimer: LoopTimer?
    private var armedDeadline = UInt64.max
    private var idleTimer: LoopTimer?

    /// Takes over an established session in pipeline mode; fails if the process has no free descriptor.
    init?(
        _ session: ConnectionAttempt.Session, _ configuration: PostgresConfiguration, on loop: EventLoop,
        owner: any ConnectionOwner
    ) {
        (raw, host) = session
        self.configuration = configuration
        self.loop = loop
        self.owner = owner
        head = HeadWatch(
            grace: configuration.cancelGrace.wholeNanoseconds, limit: configuration.stallLimit.wholeNanoseconds)
        (lastUse, lastHeard, busySince) = (loop.now, loop.now, loop.now)
        watch = DescriptorWatch(PQsocket(raw), for: .readable, on: loop) { [unowned self] in ready($0) }
        if watch == nil { return nil }
        observeNotices()
        idleTimer = loop.schedule(after: configuration.idleTimeout) { [unowned self] in closeIfIdle() }
    }

    // MARK: The socket

    private func ready(_ events: IOEvents) {
        if events.contains(.writable) && !flush() { return close(lost()) }
        lastHeard = loop.now
        let isAlive = PQconsumeInput(raw) == 1
        receiveResults()
        if !isAlive && !isClosed { close(lost()) }
        if !isClosed && isReadOnly && owner?.needsWritable == true { close(.readOnly) }
    }

    /// Writes buffered bytes; if the kernel's buffer is full, writes the rest later. False if the connection is lost.
    func flush() -> Bool {
        let result = PQflush(raw)
        let mustWait = result == 1
        if mustWait != isWaitingForRoom, let watch {
            isWaitingForRoom = mustWait
            watch.wait(for: mustWait ? [.readable, .writable] : .readable)
        }
        return result >= 0
    }

    /// Whether a statement has waited for longer than the limit while the server sent nothing.
    var isSilent: Bool {
        guard !inFlight.isEmpty || script != nil else { return false }
        return loop.now - max(lastHeard, busySince) > configuration.silenceLimit.wholeNanoseconds
    }

    /// The server has answered elsewhere, so the statement here is only slow.
    func serverAnswered() { busySince = loop.now }

    /// Whether the server reports that it takes no writes; since PostgreSQL 14 it reports each change.
    private var isReadOnly: Bool {
        isOn("in_hot_standby") || isOn("default_transaction_read_only")
    }

    private func isOn(_ parameter: StaticString) -> Bool {
        let name = UnsafeRawPointer(parameter.utf8Start).assumingMemoryBound(to: CChar.self)
        return PQparameterStatus(raw, name).map { strcmp($0, "on") == 0 } ?? false
    }

    /// Looks for the warning of a commit that no standby has confirmed. Its text is translated, its place in the source is not.
    private func observeNotices() {
        PQsetNoticeReceiver(
            raw,
            { context, notice in
                guard let context, let place = PQresultErrorField(notice, Int32(UInt8(ascii: "R"))),
                    strcmp(place, "SyncRepWaitForLSN") == 0
                else { return }
                Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue().hasUnreplicatedCommit = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func lost() -> PostgresError {
        let message = String(cString: PQerrorMessage(raw)).split(separator: "\n").joined(separator: "; ")
        return PostgresError(.connectionLost, message: message)
    }

    // MARK: Time

    /// Schedules `checkDeadlines` at `deadline`.
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

    /// Closes the session; requests in flight fail with `reason`.
    func close(_ reason: PostgresError = .closedInFlight) {
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

    /// Answers a request that the server has finished.
    func settle(_ request: Request, _ outcome: Request.Outcome) {
        answer(request, outcome)
        guard let finished = request.finished else { return }
        request.finished = nil
        if case .failed(let error) = outcome { finished(error) } else { finished(nil) }
    }
}

/// The owner of a connection, which receives its events.
protocol ConnectionOwner: AnyObject {
    /// Whether a session that cannot write must end.
    var needsWritable: Bool { get }
    /// Whether an abandoned write may be cancelled on the server. A cancelled wait for a standby would leave a commit that a
    /// repeated call finds and that a failover loses.
    var mayCancelWrites: Bool { get }
    /// A request was answered; the connection can take more.
    func hasRoom(_ connection: PostgresConnection)
    /// Takes back a request that had no effect and must be sent again.
    func takeBack(_ request: Request)
    func mayCloseIdle(_ connection: PostgresConnection) -> Bool
    func closed(_ connection: PostgresConnection)
}
