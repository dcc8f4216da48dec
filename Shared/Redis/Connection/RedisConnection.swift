internal import EventLoop

/// One connection from its opening to its loss: commands are pipelined, and replies arrive in order.
///
/// It does not reconnect; `RedisLink` does.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop; `StreamSocket` checks that on registering.
final class RedisConnection: @unchecked Sendable {
    let loop: EventLoop
    private let socket: StreamSocket
    let configuration: RedisConfiguration
    private let reader: RESPReader
    private var queue: CommandQueue<RedisWaiter>
    private var deadlineTimer: LoopTimer?
    private var pingTimer: LoopTimer?
    private var lastReceived: UInt64
    /// When `checkLiveness` is due.
    private var checkDue: UInt64
    private var lossReason: RedisError?

    /// Called once when the connection is lost, after the waiting commands have failed.
    var onLoss: ((RedisError) -> Void)?
    /// Whether `run` asks the node to execute commands for a slot that is on its way to it.
    var asks = false
    /// If set, the connection has subscriptions: replies are not matched to commands but passed to this handler.
    var pushes: (any RedisPushHandler)?

    /// Takes over a connected socket, on its loop.
    init(_ socket: StreamSocket, _ configuration: RedisConfiguration) {
        loop = socket.loop
        self.socket = socket
        self.configuration = configuration
        reader = RESPReader(limit: configuration.replyLimit)
        queue = CommandQueue(limit: configuration.outstandingLimit)
        lastReceived = socket.loop.now
        checkDue = socket.loop.now &+ configuration.pingInterval.wholeNanoseconds
        // Checked here, because the socket would be closed above its limit.
        socket.writeLimit = .max
        socket.start(self)
        pingTimer = loop.schedule(after: configuration.pingInterval) { [unowned self] in checkLiveness() }
    }

    var isClosed: Bool { socket.isClosed }
    var outstanding: Int { queue.count }

    /// Sends a command at the end of the loop's turn; `waiter` always gets an outcome.
    func send(_ command: RedisCommand, within limit: Duration, _ waiter: RedisWaiter) {
        guard !isClosed else { return waiter.complete(.failure(.notConnected)) }
        guard !queue.isFull, socket.queuedBytes + command.bytes.count <= configuration.outputLimit else {
            return waiter.complete(.failure(.overloaded))
        }
        let earliest = queue.nextDeadline
        queue.append(waiter, sent: loop.now, deadline: loop.now &+ limit.wholeNanoseconds)
        if queue.nextDeadline != earliest { watchDeadline() }
        socket.write(command.bytes)
    }

    /// Sends a command and returns its reply.
    func run(_ command: RedisCommand, within limit: Duration? = nil) async throws(RedisError) -> RedisValue {
        let outcome = await withUnsafeContinuation { continuation in
            if asks { send(.asking, within: configuration.commandTimeout, .none) }
            send(command, within: limit ?? configuration.commandTimeout, .continuation(continuation))
        }
        return try outcome.get()
    }

    /// Sends a command without a reply of its own; the caller limits their number.
    func sendUnanswered(_ command: RedisCommand) { socket.write(command.bytes) }

    /// Closes; waiting commands fail with `reason`.
    func close(_ reason: RedisError = .closed) {
        if lossReason == nil { lossReason = reason }
        socket.close()
    }

    /// Pauses or resumes reading from the socket.
    func setReading(paused: Bool) {
        if paused { return socket.pauseReading() }
        // Nothing was read meanwhile, which says nothing about the server.
        lastReceived = loop.now
        socket.resumeReading()
    }

    // MARK: Time

    private func watchDeadline() {
        guard let next = queue.nextDeadline else { return }
        let delay = Duration.nanoseconds(next > loop.now ? next - loop.now : 0)
        if let deadlineTimer {
            deadlineTimer.restart(after: delay)
        } else {
            deadlineTimer = loop.schedule(after: delay) { [unowned self] in expire() }
        }
    }

    private func expire() {
        let expired = queue.expire(now: loop.now)
        for waiter in expired { waiter.complete(.failure(.timedOut)) }
        guard !isClosed else { return }
        // A server that has been silent for so long with work to do is lost, not just slow with one command.
        if !expired.isEmpty, let oldest = queue.oldestSent,
            loop.now - max(oldest, lastReceived) >= configuration.commandTimeout.wholeNanoseconds
        {
            close(.connectionLost("no bytes from the server since a command timed out"))
        } else {
            watchDeadline()
        }
    }

    private func checkLiveness() {
        let silence = Duration.nanoseconds(loop.now - lastReceived)
        // The server was not asked while this process stood still, and may have stood still with it.
        let stoodStill = loop.now > checkDue &+ (configuration.pingInterval / 2).wholeNanoseconds
        // A command with a deadline detects a lost connection by it; during a blocking read the server may be silent.
        if pushes != nil || queue.nextDeadline == nil {
            if silence > configuration.pingInterval * 2, !stoodStill, !socket.isReadingPaused {
                return close(.connectionLost("no bytes from the server for \(silence)"))
            }
            if silence >= configuration.pingInterval / 2 { ping() }
        }
        checkDue = loop.now &+ configuration.pingInterval.wholeNanoseconds
        pingTimer?.restart(after: configuration.pingInterval)
    }

    private func ping() {
        if pushes == nil {
            send(.ping, within: configuration.commandTimeout, .none)
        } else {
            sendUnanswered(.ping)
        }
    }
}

extension RedisConnection: StreamHandler {
    func received(_ bytes: RawSpan) -> Int {
        lastReceived = loop.now
        do {
            try bytes.withUnsafeBytes { bytes throws(RESPReader.Malformed) in
                try reader.read(bytes) { reply in take(reply) }
            }
            pushes?.receivedAll()
        } catch {
            close(.connectionLost("malformed reply: \(error.reason)"))
        }
        return bytes.byteCount
    }

    private func take(_ reply: RedisValue) {
        guard !isClosed else { return }
        if let pushes { return pushes.received(reply) }
        switch queue.takeFirst() {
        case .waiter(let waiter):
            if case .error(let refusal) = reply {
                waiter.complete(.failure(.server(refusal)))
            } else {
                waiter.complete(.success(reply))
            }
        case .expired: break
        case .unexpected: close(.connectionLost("a reply without a command"))
        }
    }

    func endOfInput() { close(.connectionLost("closed by the server")) }

    func drained() {}

    func closed(_ end: StreamSocket.End) {
        deadlineTimer?.cancel()
        pingTimer?.cancel()
        let reason = lossReason ?? .connectionLost("\(end)")
        for waiter in queue.removeAll() { waiter.complete(.failure(reason)) }
        let onLoss = self.onLoss
        self.onLoss = nil
        pushes = nil
        onLoss?(reason)
    }
}

/// Handles the messages of a connection with subscriptions.
protocol RedisPushHandler: AnyObject {
    func received(_ push: RedisValue)
    /// All messages of one read have been passed on.
    func receivedAll()
}
