internal import Glibc

extension StreamSocket {
    private static let bytesPerFlush = 1024 * 1024

    /// Queues bytes; they leave at the end of the loop's turn. Closes the socket when more than `writeLimit` wait.
    public func write(_ bytes: [UInt8]) {
        guard takesWrites, !bytes.isEmpty else { return }
        output.append(bytes)
        didQueue(bytes.count)
    }

    /// Lets `write` append bytes to the queued ones: for small output that is made on the spot.
    public func write(_ write: (inout [UInt8]) -> Void) {
        guard takesWrites else { return }
        didQueue(output.append(write))
    }

    /// Queues `length` bytes of a file from `offset`, sent by the kernel without a copy; they do not count as queued.
    public func write(_ file: OpenFile, offset: Int, length: Int) {
        guard takesWrites, length > 0 else { return }
        output.append(file, offset: offset, length: length)
        didQueue(0)
    }

    private var takesWrites: Bool { !isClosed && flow.whenFlushed == .stayOpen }

    private func didQueue(_ count: Int) {
        queuedBytes += count
        if queuedBytes > writeLimit { return finish(.slowReader) }
        if !flow.isFlushScheduled {
            flow.isFlushScheduled = true
            loop.flushAtEndOfTurn(self)
        }
    }

    func flushAtEndOfTurn() {
        flow.isFlushScheduled = false
        flush()
    }

    /// Returns the bytes for one `send` in a batch, in place of `flushAtEndOfTurn`; nil if there is nothing to send, or
    /// if one `send` cannot do it. `recordSent`, `sendFailed` or `flush` must follow.
    func prepareSend() -> BatchFlush.Sending? {
        flow.isFlushScheduled = false
        guard !flow.isBlocked, !isClosed, let (bytes, offset) = output.onlyBytes else { return nil }
        return BatchFlush.Sending(descriptor: descriptor, bytes: bytes, offset: offset)
    }

    /// Records that the kernel has taken the next `count` bytes of `prepareSend`, without a call to the handler. Returns
    /// whether the flush is complete.
    func recordSent(_ count: Int) -> Bool {
        output.dropOfSingle(count)
        queuedBytes -= count
        sentBytes += UInt64(count)
        return output.isEmpty && !flow.owesDrained && !flow.isCongested && flow.whenFlushed == .stayOpen
    }

    /// The `send` of the bytes of `prepareSend` failed with errno `error`.
    func sendFailed(_ error: Int32) {
        if error == EAGAIN || error == EINTR { flush() } else { failed(error) }
    }

    private func failed(_ error: Int32) { finish(error == ECONNRESET || error == EPIPE ? .peer : .failed(error)) }

    /// Sends as much as the kernel takes, now.
    public func flush() {
        guard !flow.isBlocked else { return }
        var sentNow = 0
        while !isClosed, !output.isEmpty {
            // A peer that takes everything at once must not block the other sockets of the loop.
            if sentNow >= Self.bytesPerFlush {
                flow.owesDrained = true
                return continueNextTurn()
            }
            let sent = output.send(to: descriptor, gatheringIn: loop.buffers.output)
            if sent.count > 0 {
                queuedBytes -= sent.counted
                sentBytes += UInt64(sent.count)
                sentNow += sent.count
            } else if sent.error == EAGAIN {
                return block()
            } else if sent.error != EINTR {
                return failed(sent.error)
            }
        }
        if !isClosed { flushed() }
    }

    private func block() {
        flow.isBlocked = true
        flow.owesDrained = true
        guard !flow.isCongested else { return }
        flow.isCongested = true
        handler?.congested()
    }

    private func flushed() {
        switch flow.whenFlushed {
        case .close: return finish(.local)
        case .endOutput: shutdown(descriptor, Int32(SHUT_WR))
        case .stayOpen: break
        }
        flow.isCongested = false
        guard flow.owesDrained else { return }
        flow.owesDrained = false
        handler?.drained()
    }

    /// The number of writes that wait, those of files included.
    public var queuedPieces: Int { output.count }

    /// Whether the peer is slow: the kernel took no more at some time since everything was sent.
    public var isCongested: Bool { flow.isCongested }

    /// Whether the kernel has taken everything that was written.
    public var isDrained: Bool { output.isEmpty }

    /// Removes all writes of which no byte has left. An array is sent whole or not at all.
    public func discardUnsent() { queuedBytes -= output.discardUnsent() }
}
