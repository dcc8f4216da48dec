internal import CCurl
internal import EventLoop

/// The transfers and connections of one loop: a curl multi handle with sockets and a timer of the loop.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop; `cancel`, which any thread may call, goes there.
final class ClientLoop: @unchecked Sendable {
    private let loop: EventLoop
    private let configuration: HTTPClient.Configuration
    private let multi: UnsafeMutableRawPointer
    private var running: [ObjectIdentifier: Transfer] = [:]
    private var sockets: [Int32: ClientSocket] = [:]
    private var idleHandles: [EasyHandle] = []
    private var timer: LoopTimer?
    private var isKickPending = false
    private var isClosed = false

    /// Idle handles that are kept; further ones are freed when their transfer ends.
    private static let maximumIdleHandles = 64

    init(on loop: EventLoop, configuration: HTTPClient.Configuration) {
        self.loop = loop
        self.configuration = configuration
        guard let multi = curl_multi_init() else { preconditionFailure("no memory") }
        self.multi = multi
        setLimits()
        ccurl_multi_set_callbacks(
            multi, Unmanaged.passUnretained(self).toOpaque(),
            { _, descriptor, what, client, _ in
                ClientLoop.of(client).watch(descriptor, for: what)
                return 0
            },
            { _, milliseconds, client in
                ClientLoop.of(client).setTimer(milliseconds)
                return 0
            })
    }

    func start(_ transfer: Transfer, _ continuation: UnsafeContinuation<Transfer.Outcome, Never>) {
        loop.preconditionInLoop()
        transfer.continuation = continuation
        if let kind = reasonToRefuse(transfer) { return recycle(transfer.end(kind)) }
        let handle = idleHandles.popLast() ?? EasyHandle()
        transfer.handle = handle
        do throws(RefusedOption) {
            try handle.prepare(for: transfer, configuration)
        } catch {
            return recycle(transfer.end(.invalidRequest, error.detail))
        }
        transfer.deadline = loop.schedule(after: transfer.request.deadline) { [unowned self, unowned transfer] in
            abort(transfer, .deadlineExceeded)
        }
        running[ObjectIdentifier(transfer)] = transfer
        add(handle.raw)
    }

    private func add(_ handle: UnsafeMutableRawPointer) {
        let code = curl_multi_add_handle(multi, handle)
        precondition(code == CURLM_OK, "curl refuses a handle")
    }

    private func reasonToRefuse(_ transfer: Transfer) -> HTTPClient.Failure.Kind? {
        if isClosed { return .closed }
        if transfer.isCancelled { return .cancelled }
        return running.count < configuration.maximumTransfers ? nil : .overloaded
    }

    func cancel(_ transfer: Transfer) {
        loop.execute { [self] in
            transfer.isCancelled = true
            abort(transfer, .cancelled)
        }
    }

    /// Ends everything, once.
    func close() {
        loop.preconditionInLoop()
        isClosed = true
        for transfer in running.values { abort(transfer, .closed) }
        idleHandles = []
        curl_multi_cleanup(multi)
        timer?.cancel()
    }

    /// Lets curl read and write, then delivers the transfers that have ended.
    func act(on descriptor: Int32, _ events: Int32) {
        var stillRunning: Int32 = 0
        curl_multi_socket_action(multi, descriptor, events, &stillRunning)
        var code = CURLE_OK
        while let raw = ccurl_multi_next_ended(multi, &code) {
            let transfer = Transfer.of(ccurl_transfer(raw))
            guard !transfer.begins(anewAfter: code) else {
                curl_multi_remove_handle(multi, raw)
                add(raw)
                continue
            }
            let outcome = transfer.outcome(of: code)
            curl_multi_remove_handle(multi, raw)
            running[ObjectIdentifier(transfer)] = nil
            recycle(transfer.end(with: outcome))
        }
    }

    private func abort(_ transfer: Transfer, _ kind: HTTPClient.Failure.Kind) {
        guard running.removeValue(forKey: ObjectIdentifier(transfer)) != nil, let handle = transfer.handle else {
            return
        }
        curl_multi_remove_handle(multi, handle.raw)
        recycle(transfer.end(kind))
    }

    private func recycle(_ handle: EasyHandle?) {
        guard let handle, !isClosed, idleHandles.count < Self.maximumIdleHandles else { return }
        handle.reset()
        idleHandles.append(handle)
    }

    private func setLimits() {
        let limits: [(CURLMoption, Int)] = [
            (CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX)),
            (CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maximumConnectionsPerHost),
            (CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.maximumConnections),
            (CURLMOPT_MAXCONNECTS, configuration.maximumIdleConnections),
        ]
        for (option, value) in limits {
            let code = ccurl_multi_set_number(multi, option, value)
            precondition(code == CURLM_OK, "curl refuses a limit")
        }
    }
}

extension ClientLoop {
    fileprivate static func of(_ pointer: UnsafeMutableRawPointer?) -> ClientLoop {
        guard let pointer else { preconditionFailure("a multi handle without its client") }
        return Unmanaged<ClientLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// curl reports the events that it waits for on one of its sockets.
    fileprivate func watch(_ descriptor: Int32, for what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            if let socket = sockets.removeValue(forKey: descriptor) { loop.deregister(socket) }
            return
        }
        var events: IOEvents = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        if let socket = sockets[descriptor] {
            loop.modify(socket, for: events)
        } else {
            let socket = ClientSocket(descriptor, of: self)
            sockets[descriptor] = socket
            loop.register(socket, for: events)
        }
    }

    /// curl reports when it must be called at the latest; below 0 means never.
    fileprivate func setTimer(_ milliseconds: Int) {
        if milliseconds > 0 {
            let delay = Duration.milliseconds(milliseconds)
            if let timer {
                timer.restart(after: delay)
            } else {
                timer = loop.schedule(after: delay) { [unowned self] in act(on: CURL_SOCKET_TIMEOUT, 0) }
            }
        } else {
            timer?.cancel()
            if milliseconds == 0 { kickSoon() }
        }
    }

    /// Runs later, because curl may be in the middle of a call, and once for all requests that begin in this turn.
    private func kickSoon() {
        guard !isKickPending else { return }
        isKickPending = true
        loop.executeAtEndOfTurn { [self] in
            isKickPending = false
            if !isClosed { act(on: CURL_SOCKET_TIMEOUT, 0) }
        }
    }
}
