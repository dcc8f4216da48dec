internal import CSystem
internal import Glibc

/// A connected socket on a loop: reads into the loop's scratch buffer and queues output that the kernel does not take at
/// once.
///
/// Writes of one turn of the loop leave together at its end. A queued `[UInt8]` is shared, not copied, so a broadcast
/// costs each socket a reference. An idle socket holds no buffer.
///
/// The socket is watched edge-triggered for both directions during its whole life: the kernel checks it once for an
/// event rather than twice, and pausing a reader or waiting for a slow one takes no system call.
public final class StreamSocket: Channel, @unchecked Sendable {
    /// Why a socket was closed.
    public enum End: Sendable, Equatable {
        /// The peer ended or reset the connection.
        case peer
        /// `close` was called here, the last write was flushed after `closeAfterFlush`, or the loop has ended.
        case local
        /// More bytes waited than `writeLimit`: the peer reads too slowly.
        case slowReader
        /// A system call failed with this errno.
        case failed(Int32)
    }

    /// The loop that owns the socket.
    public let loop: EventLoop

    // Output comes first, with everything else that a write reads beside it, so that a write touches few cache lines.
    // The exclusivity checks are off because every access is a single step, except that of `write(_:)` with a closure,
    // which gets the queue's memory and must not use the socket.
    @exclusivity(unchecked) var output = WriteQueue()
    /// Bytes that wait to be sent.
    @exclusivity(unchecked) public internal(set) var queuedBytes = 0
    /// Bytes that may wait unsent before the socket is closed as a slow reader.
    @exclusivity(unchecked) public var writeLimit = StreamSocket.defaultWriteLimit
    /// 4 MiB.
    public static let defaultWriteLimit = 4 * 1024 * 1024
    /// Bytes that the kernel has taken since the beginning, those of files included.
    @exclusivity(unchecked) public internal(set) var sentBytes: UInt64 = 0
    @exclusivity(unchecked) public private(set) var isClosed = false
    @exclusivity(unchecked) var flow = OutputFlow()
    /// Bytes from the beginning of the object that a write reads; a test checks that they suffice.
    public static let writtenSize = 104

    /// Receives the socket's events; held until the socket is closed.
    @exclusivity(unchecked) public var handler: (any StreamHandler)?

    /// A handler may pause, resume or close from within its call, so unread bytes are moved out of `input` during it.
    @exclusivity(unchecked) var input = InputState()

    private var isContinuedNextTurn = false

    /// An object that is released when the connection is closed. It goes along to another loop.
    public var attachment: AnyObject?

    /// The numeric host of the other side, or its path: formatted once, because every request asks for it.
    public let peerHost: String
    /// The address of the other side.
    public let peer: SocketAddress

    /// The state of the socket's output beside the queue.
    struct OutputFlow {
        /// A flush at the end of the turn is scheduled.
        var isFlushScheduled = false
        /// The kernel's send buffer is full; a `writable` event clears this.
        var isBlocked = false
        /// The handler got `congested` and not yet `drained`.
        var isCongested = false
        /// The handler gets `drained` once the queue is empty.
        var owesDrained = false
        /// The step that follows when the queue is empty.
        var whenFlushed = WhenFlushed.stayOpen
    }

    /// The step that follows when all queued output has left.
    enum WhenFlushed {
        case stayOpen, endOutput, close
    }

    /// The state of the socket's input.
    struct InputState {
        /// Bytes that were read and that the handler has not consumed.
        var unread = UnreadBytes()
        var isPaused = false
        /// The handler left bytes for the next turn.
        var isYielding = false
        /// The kernel may hold bytes, or the end, that have not been read.
        var isReady = false
        /// The end follows the bytes in the kernel's buffer; there is no further event for it.
        var endIsComing = false
        var hasSeenEnd = false
    }

    /// Takes over a connected, non-blocking descriptor; on the loop. Reading starts with `start`.
    public init(descriptor: Int32, peer: SocketAddress, on loop: EventLoop) {
        self.loop = loop
        self.peer = peer
        peerHost = peer.host
        super.init(descriptor: descriptor)
    }

    deinit { if !isClosed { Glibc.close(descriptor) } }

    /// Starts reading; `handler` gets all events from now on.
    public func start(_ handler: any StreamHandler) {
        self.handler = handler
        loop.register(self, for: [.readable, .writable, .readEnd, .edges])
        if !input.unread.isEmpty || input.hasSeenEnd { takeUnread() }
    }

    /// Gives the socket to the handler of another protocol, which is offered the bytes that this one has not consumed.
    public func handOver(to handler: any StreamHandler) {
        guard !isClosed else { return handler.closed(.peer) }
        self.handler = handler
        // Not at once: the present handler may be in the middle of taking bytes. Nothing is read until then, because the
        // end must not overtake unread bytes.
        input.isPaused = true
        loop.executeAtEndOfTurn { [self] in
            if !isClosed, self.handler === handler { takeUnread() }
        }
    }

    /// Detaches the connection, to continue with `init(_:on:)` on another loop; nil while bytes wait to be sent.
    ///
    /// The handler is released without a call, and this socket cannot be used any more. Do not call this while the
    /// handler takes bytes: those that it does not consume would be lost.
    public func moveAway() -> MovingConnection? {
        guard !isClosed, output.isEmpty else { return nil }
        isClosed = true
        loop.deregister(self)
        handler = nil
        return MovingConnection(
            descriptor: descriptor, peer: peer, unread: input.unread, hasSeenEnd: input.hasSeenEnd,
            attachment: attachment)
    }

    /// Continues a connection of another loop; call on the new loop, then `start`.
    public convenience init(_ moving: consuming MovingConnection, on loop: EventLoop) {
        self.init(descriptor: moving.descriptor, peer: moving.peer, on: loop)
        input.unread = moving.unread
        input.hasSeenEnd = moving.hasSeenEnd
        attachment = moving.attachment
        moving.hasArrived()
    }

    public override func ready(_ events: IOEvents) {
        if !events.isDisjoint(with: [.writable, .failed]) {
            flow.isBlocked = false
            if !output.isEmpty { flush() }
        }
        guard !isClosed, !events.isDisjoint(with: [.readable, .readEnd, .failed]) else { return }
        input.isReady = true
        if !events.isDisjoint(with: [.readEnd, .failed]) { input.endIsComing = true }
        if !events.isDisjoint(with: .failed) && (input.isPaused || input.hasSeenEnd) {
            finish(.peer)
        } else if !input.isPaused {
            read()
        }
    }

    /// Continues the reading and writing that the last turn did not finish, after the other sockets.
    func continueTurn() {
        isContinuedNextTurn = false
        guard !isClosed else { return }
        if !flow.isBlocked && !output.isEmpty { flush() }
        if !isClosed && input.isYielding { takeUnread() }
        if !isClosed && input.isReady && !input.isPaused { read() }
    }

    func continueNextTurn() {
        guard !isContinuedNextTurn else { return }
        isContinuedNextTurn = true
        loop.continueNextTurn(self)
    }

    // MARK: Ending

    /// Closes now; queued bytes are lost.
    public func close() { finish(.local) }

    /// Takes no more writes and closes when all queued output has left.
    public func closeAfterFlush() {
        guard !isClosed else { return }
        flow.whenFlushed = .close
        if output.isEmpty { finish(.local) }
    }

    /// Takes no more writes, and ends the output (SHUT_WR) when all queued output has left; reading continues.
    public func endAfterFlush() {
        guard !isClosed, flow.whenFlushed == .stayOpen else { return }
        flow.whenFlushed = .endOutput
        if output.isEmpty { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    public override func loopEnded() { finish(.local) }

    func finish(_ end: End) {
        guard !isClosed else { return }
        isClosed = true
        loop.deregister(self)
        Glibc.close(descriptor)
        output = WriteQueue()
        input.unread = UnreadBytes()
        queuedBytes = 0
        attachment = nil
        let handler = self.handler
        self.handler = nil
        handler?.closed(end)
    }
}
