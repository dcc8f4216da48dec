internal import CSystem
internal import Glibc

/// A connected socket on a loop: reads into the loop's scratch, queues what the kernel does not take at once.
///
/// Writes of one turn of the loop leave together at its end. A queued `[UInt8]` is shared, not copied, so a broadcast
/// costs each socket a reference. Nothing is held for an idle socket but the object.
public final class StreamSocket: Channel, @unchecked Sendable {
    /// Why a socket was closed.
    public enum End: Sendable, Equatable {
        /// The peer ended or reset the connection.
        case peer
        /// `close` was called here, or the last write was flushed after `closeAfterFlush`.
        case local
        /// More bytes waited than `writeLimit`: the peer reads too slowly.
        case slowReader
        /// The system's errno.
        case failed(Int32)
    }

    /// The loop that owns it.
    public let loop: EventLoop
    /// Who is told; held until the socket is closed.
    public var handler: (any StreamHandler)?
    /// The other side.
    public let peer: SocketAddress
    /// Bytes that may wait unsent before the socket is closed as a slow reader.
    public var writeLimit = StreamSocket.defaultWriteLimit
    /// 4 MiB.
    public static let defaultWriteLimit = 4 * 1024 * 1024
    private static let bytesPerFlush = 1024 * 1024
    /// Bytes that wait to be sent.
    public private(set) var queuedBytes = 0
    /// Bytes that the kernel has taken since the beginning, those of files included.
    public private(set) var sentBytes: UInt64 = 0
    public private(set) var isClosed = false

    private var output = WriteQueue()
    private var unread = UnreadBytes()
    private var interest: IOEvents = .readable
    private var isReadingPaused = false
    private var isDirty = false
    private var closesAfterFlush = false
    private var endsAfterFlush = false
    private var hasSeenEnd = false
    /// The handler has been told that the peer is slow.
    private var isCongested = false
    private var owesDrained = false

    /// Takes over a connected, non-blocking descriptor; on the loop. Reading starts with `start`.
    public init(descriptor: Int32, peer: SocketAddress, on loop: EventLoop) {
        self.loop = loop
        self.peer = peer
        super.init(descriptor: descriptor)
    }

    public override func loopEnded() { finish(.local) }

    deinit { if !isClosed { Glibc.close(descriptor) } }

    /// Starts to read and to tell `handler`.
    public func start(_ handler: any StreamHandler) {
        self.handler = handler
        loop.register(self, for: .readable)
    }

    /// Gives the socket to another protocol, which is offered what this one has not consumed.
    public func handOver(to handler: any StreamHandler) {
        guard !isClosed else { return handler.closed(.peer) }
        self.handler = handler
        isReadingPaused = false
        updateInterest()
        // Not at once: the present handler may be in the middle of taking bytes.
        loop.atEndOfTick { [self] in
            guard !isClosed, self.handler === handler else { return }
            takeUnread()
            if hasSeenEnd && !isClosed { self.handler?.endOfInput() }
        }
    }

    // MARK: Reading

    public override func ready(_ events: IOEvents) {
        if events.contains(.writable) { flush() }
        guard !isClosed else { return }
        if !events.isDisjoint(with: .failed) && (isReadingPaused || hasSeenEnd) {
            finish(.peer)
        } else if !isReadingPaused && !events.isDisjoint(with: [.readable, .failed]) {
            read()
        }
    }

    /// Leaves bytes in the kernel until `resumeReading`: back-pressure on the peer.
    public func pauseReading() {
        guard !isReadingPaused else { return }
        isReadingPaused = true
        updateInterest()
    }

    /// Reads again, and first offers again what was not consumed.
    public func resumeReading() {
        guard isReadingPaused, !isClosed else { return }
        isReadingPaused = false
        updateInterest()
        offerUnread()
        if hasSeenEnd && !isClosed && !isReadingPaused { handler?.endOfInput() }
    }

    /// Offers again what was not consumed, and reads again where that was paused.
    public func takeUnread() {
        if isReadingPaused { resumeReading() } else { offerUnread() }
    }

    /// Reads what the kernel has now, without waiting for the loop's next turn.
    public func readNow() {
        if !isClosed && !isReadingPaused && !hasSeenEnd { read() }
    }

    /// Bytes that were read and that the handler has not consumed.
    public var unreadCount: Int { unread.count }

    private func read() {
        let target = loop.scratch
        let count = Glibc.read(descriptor, target.baseAddress!, target.count)
        if count > 0 {
            received(UnsafeRawBufferPointer(rebasing: target[..<count]))
        } else if count == 0 {
            hasSeenEnd = true
            updateInterest()
            handler?.endOfInput()
        } else if errno != EAGAIN && errno != EINTR {
            finish(errno == ECONNRESET || errno == EPIPE ? .peer : .failed(errno))
        }
    }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        guard unread.isEmpty else {
            unread.append(bytes)
            return offerUnread()
        }
        let consumed = handler?.received(bytes.bytes) ?? bytes.count
        if consumed < bytes.count && !isClosed { unread.append(UnsafeRawBufferPointer(rebasing: bytes[consumed...])) }
    }

    private func offerUnread() {
        guard !unread.isEmpty, !isReadingPaused, let handler else { return }
        // Taken out while the handler looks at it, so that it may pause, resume or close from within.
        var bytes = UnreadBytes()
        swap(&bytes, &unread)
        bytes.consume(bytes.withBytes(handler.received))
        guard !isClosed, !bytes.isEmpty else { return }
        bytes.append(unread)
        unread = bytes
    }

    // MARK: Writing

    /// Queues bytes; they leave at the end of the loop's turn. Closes the socket when more than `writeLimit` wait.
    public func write(_ bytes: [UInt8]) {
        guard !isClosed, !closesAfterFlush, !endsAfterFlush, !bytes.isEmpty else { return }
        output.append(bytes)
        queued(bytes.count)
    }

    /// Queues `length` bytes of a file from `offset`, sent by the kernel without a copy; they do not count as queued.
    public func write(_ file: OpenFile, offset: Int, length: Int) {
        guard !isClosed, !closesAfterFlush, !endsAfterFlush, length > 0 else { return }
        output.append(file, offset: offset, length: length)
        queued(0)
    }

    private func queued(_ count: Int) {
        queuedBytes += count
        if queuedBytes > writeLimit { return finish(.slowReader) }
        if !isDirty {
            isDirty = true
            loop.flushAtEndOfTick(self)
        }
    }

    func flushAtEndOfTick() {
        isDirty = false
        if !interest.contains(.writable) { flush() }
    }

    /// Sends what the kernel takes, now.
    public func flush() {
        var sentNow = 0
        while !isClosed, !output.isEmpty {
            // A peer that takes everything at once must not keep the loop to itself: the rest goes in its next turn.
            if sentNow >= Self.bytesPerFlush {
                owesDrained = true
                return updateInterest()
            }
            let sent = output.send(to: descriptor, gatheringIn: loop.outputScratch)
            if sent.count > 0 {
                queuedBytes -= sent.counted
                sentBytes += UInt64(sent.count)
                sentNow += sent.count
            } else if sent.error == EAGAIN {
                updateInterest()
                owesDrained = true
                guard !isCongested else { return }
                isCongested = true
                handler?.congested()
                return
            } else if sent.error != EINTR {
                return finish(sent.error == ECONNRESET || sent.error == EPIPE ? .peer : .failed(sent.error))
            }
        }
        guard !isClosed else { return }
        updateInterest()
        if closesAfterFlush { return finish(.local) }
        if endsAfterFlush { shutdown(descriptor, Int32(SHUT_WR)) }
        isCongested = false
        if owesDrained {
            owesDrained = false
            handler?.drained()
        }
    }

    /// Whether all that was written has gone to the kernel.
    public var isDrained: Bool { output.isEmpty }

    // MARK: Ending

    /// Takes back all that was written and of which no byte has left; an array is sent whole or not at all.
    public func discardUnsent() { queuedBytes -= output.discardUnsent() }

    /// Closes now; what is queued is lost.
    public func close() { finish(.local) }

    /// Takes no more writes and closes when all that is queued has left.
    public func closeAfterFlush() {
        guard !isClosed else { return }
        closesAfterFlush = true
        if output.isEmpty { finish(.local) }
    }

    /// Takes no more writes and tells the peer so when all that is queued has left; reading goes on.
    public func endAfterFlush() {
        guard !isClosed, !endsAfterFlush else { return }
        endsAfterFlush = true
        if output.isEmpty { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    private func finish(_ end: End) {
        guard !isClosed else { return }
        isClosed = true
        loop.deregister(self)
        Glibc.close(descriptor)
        output = WriteQueue()
        unread = UnreadBytes()
        queuedBytes = 0
        let handler = self.handler
        self.handler = nil
        handler?.closed(end)
    }

    private func updateInterest() {
        guard !isClosed else { return }
        var wanted: IOEvents = []
        if !isReadingPaused && !hasSeenEnd { wanted.insert(.readable) }
        if !output.isEmpty { wanted.insert(.writable) }
        guard wanted != interest else { return }
        interest = wanted
        loop.modify(self, for: wanted)
    }
}

/// What a protocol does with the bytes of its socket. All calls come on the socket's loop.
public protocol StreamHandler: AnyObject {
    /// Takes bytes and says how many it has consumed; the rest is offered again, with what comes after it.
    func received(_ bytes: RawSpan) -> Int
    /// The peer will send no more; most protocols close.
    func endOfInput()
    /// The kernel takes no more for now: the peer is slow. `drained` follows, or the end.
    func congested()
    /// All that had to wait for the kernel has left.
    func drained()
    /// The last call; the socket is closed already.
    func closed(_ end: StreamSocket.End)
}

extension StreamHandler {
    public func congested() {}
}
