internal import CSystem
internal import Glibc

/// A connected socket on a loop: reads into the loop's scratch, queues what the kernel does not take at once.
///
/// Writes of one turn of the loop leave together at its end. A queued `[UInt8]` is shared, not copied, so a broadcast
/// costs each socket a reference. Nothing is held for an idle socket but the object.
///
/// The socket is watched edge-triggered for both directions from beginning to end: the kernel looks at it once an event
/// rather than twice, and holding back a reader or waiting for a slow one takes no system call.
public final class StreamSocket: Channel, @unchecked Sendable {
    /// Why a socket was closed.
    public enum End: Sendable, Equatable {
        /// The peer ended or reset the connection.
        case peer
        /// `close` was called here, the last write was flushed after `closeAfterFlush`, or the loop has ended.
        case local
        /// More bytes waited than `writeLimit`: the peer reads too slowly.
        case slowReader
        /// The system's errno.
        case failed(Int32)
    }

    /// The loop that owns it.
    public let loop: EventLoop

    // Output. It stands first, and what else a write looks at beside it, so that a write fetches little memory.
    // Who writes into its memory has no business with the socket meanwhile; the rest is read and set in one step.
    @exclusivity(unchecked) private var output = WriteQueue()
    /// Bytes that wait to be sent.
    @exclusivity(unchecked) public private(set) var queuedBytes = 0
    /// Bytes that may wait unsent before the socket is closed as a slow reader.
    @exclusivity(unchecked) public var writeLimit = StreamSocket.defaultWriteLimit
    /// 4 MiB.
    public static let defaultWriteLimit = 4 * 1024 * 1024
    /// Bytes that the kernel has taken since the beginning, those of files included.
    @exclusivity(unchecked) public private(set) var sentBytes: UInt64 = 0
    @exclusivity(unchecked) public private(set) var isClosed = false
    @exclusivity(unchecked) private var isDirty = false
    /// The kernel takes nothing until it says so.
    private var isBlocked = false
    /// The handler has been told that the peer is slow.
    private var isCongested = false
    private var owesDrained = false
    private var closesAfterFlush = false
    private var endsAfterFlush = false
    private static let bytesPerFlush = 1024 * 1024
    /// Bytes from the beginning of the object that a write looks at.
    public static let writtenSize = 96

    /// Who is told; held until the socket is closed.
    @exclusivity(unchecked) public var handler: (any StreamHandler)?

    // Input. What is unread is taken out while the handler looks at it, so no access meets another.
    @exclusivity(unchecked) var unread = UnreadBytes()
    @exclusivity(unchecked) var isReadingPaused = false
    /// The kernel may hold bytes, or the end, that have not been read.
    var inputIsReady = false
    /// The end stands behind what the kernel holds: no further event will tell of it.
    var endIsComing = false
    var hasSeenEnd = false

    private var waitsForTurn = false

    /// The numeric host of the other side, or its path: written once, because every request asks for it.
    public let peerHost: String
    /// The other side.
    public let peer: SocketAddress

    /// Takes over a connected, non-blocking descriptor; on the loop. Reading starts with `start`.
    public init(descriptor: Int32, peer: SocketAddress, on loop: EventLoop) {
        self.loop = loop
        self.peer = peer
        peerHost = peer.host
        super.init(descriptor: descriptor)
    }

    deinit { if !isClosed { Glibc.close(descriptor) } }

    /// Starts to read and to tell `handler`.
    public func start(_ handler: any StreamHandler) {
        self.handler = handler
        loop.register(self, for: [.readable, .writable, .readEnd, .edges])
        if !unread.isEmpty || hasSeenEnd { takeUnread() }
    }

    /// Gives the socket to another protocol, which is offered what this one has not consumed.
    public func handOver(to handler: any StreamHandler) {
        guard !isClosed else { return handler.closed(.peer) }
        self.handler = handler
        // Not at once: the present handler may be in the middle of taking bytes. Until then nothing is read, as the end
        // must not overtake what is unread.
        isReadingPaused = true
        loop.atEndOfTick { [self] in
            if !isClosed, self.handler === handler { takeUnread() }
        }
    }

    /// Gives the connection away, to go on with `init(_:on:)` on another loop; nil while bytes wait to be sent.
    ///
    /// The handler is let go without a word, and this socket is of no more use. Not while the handler looks at bytes:
    /// those that it leaves would stay behind.
    public func moveAway() -> MovingConnection? {
        guard !isClosed, output.isEmpty else { return nil }
        isClosed = true
        loop.deregister(self)
        handler = nil
        return MovingConnection(descriptor: descriptor, peer: peer, unread: unread, hasSeenEnd: hasSeenEnd)
    }

    /// Goes on with a connection of another loop; on the new one, and `start` it.
    public convenience init(_ moving: consuming MovingConnection, on loop: EventLoop) {
        self.init(descriptor: moving.descriptor, peer: moving.peer, on: loop)
        unread = moving.unread
        hasSeenEnd = moving.hasSeenEnd
        moving.hasArrived()
    }

    public override func ready(_ events: IOEvents) {
        if !events.isDisjoint(with: [.writable, .failed]) {
            isBlocked = false
            if !output.isEmpty { flush() }
        }
        guard !isClosed, !events.isDisjoint(with: [.readable, .readEnd, .failed]) else { return }
        inputIsReady = true
        if !events.isDisjoint(with: [.readEnd, .failed]) { endIsComing = true }
        if !events.isDisjoint(with: .failed) && (isReadingPaused || hasSeenEnd) {
            finish(.peer)
        } else if !isReadingPaused {
            read()
        }
    }

    /// Goes on with what one turn did not finish, so that other sockets had theirs between.
    func continueTurn() {
        waitsForTurn = false
        guard !isClosed else { return }
        if !isBlocked && !output.isEmpty { flush() }
        if !isClosed && inputIsReady && !isReadingPaused { read() }
    }

    func waitForTurn() {
        guard !waitsForTurn else { return }
        waitsForTurn = true
        loop.continueNextTurn(self)
    }

    // MARK: Writing

    /// Queues bytes; they leave at the end of the loop's turn. Closes the socket when more than `writeLimit` wait.
    public func write(_ bytes: [UInt8]) {
        guard takesWrites, !bytes.isEmpty else { return }
        output.append(bytes)
        queued(bytes.count)
    }

    /// Lets `write` append bytes behind those that are queued: for what is small and made on the spot.
    public func write(_ write: (inout [UInt8]) -> Void) {
        guard takesWrites else { return }
        queued(output.append(write))
    }

    /// Queues `length` bytes of a file from `offset`, sent by the kernel without a copy; they do not count as queued.
    public func write(_ file: OpenFile, offset: Int, length: Int) {
        guard takesWrites, length > 0 else { return }
        output.append(file, offset: offset, length: length)
        queued(0)
    }

    private var takesWrites: Bool { !isClosed && !closesAfterFlush && !endsAfterFlush }

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
        flush()
    }

    /// What one send may take now, in place of `flushAtEndOfTick`; nil where there is nothing to send,
    /// or more than that to do. `takeDown` or `flush` has to follow.
    func beginFlush() -> JointFlush.Sending? {
        isDirty = false
        guard !isBlocked, !isClosed, let (bytes, offset) = output.onlyBytes else { return nil }
        return JointFlush.Sending(descriptor: descriptor, bytes: bytes, offset: offset)
    }

    /// Notes that the kernel has taken the next `count` bytes of what `beginFlush` gave, and calls nobody;
    /// whether the flush has ended with that.
    func takeDown(_ count: Int) -> Bool {
        output.dropOfSingle(count)
        queuedBytes -= count
        sentBytes += UInt64(count)
        return output.isEmpty && !owesDrained && !isCongested && !closesAfterFlush && !endsAfterFlush
    }

    /// The kernel has refused what `beginFlush` gave.
    func refused(_ error: Int32) {
        if error == EAGAIN || error == EINTR { flush() } else { failed(error) }
    }

    private func failed(_ error: Int32) { finish(error == ECONNRESET || error == EPIPE ? .peer : .failed(error)) }

    /// Sends what the kernel takes, now.
    public func flush() {
        guard !isBlocked else { return }
        var sentNow = 0
        while !isClosed, !output.isEmpty {
            // A peer that takes everything at once must not keep the loop to itself.
            if sentNow >= Self.bytesPerFlush {
                owesDrained = true
                return waitForTurn()
            }
            let sent = output.send(to: descriptor, gatheringIn: loop.outputScratch)
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
        isBlocked = true
        owesDrained = true
        guard !isCongested else { return }
        isCongested = true
        handler?.congested()
    }

    private func flushed() {
        if closesAfterFlush { return finish(.local) }
        if endsAfterFlush { shutdown(descriptor, Int32(SHUT_WR)) }
        isCongested = false
        guard owesDrained else { return }
        owesDrained = false
        handler?.drained()
    }

    /// How many writes wait, those of files included.
    public var queuedPieces: Int { output.count }

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

    public override func loopEnded() { finish(.local) }

    func finish(_ end: End) {
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
}
