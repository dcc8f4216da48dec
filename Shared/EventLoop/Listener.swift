internal import CSystem
internal import Glibc

/// Accepts connections on one loop. Listeners of several loops share one address; the kernel spreads the connections.
public final class Listener: Channel, @unchecked Sendable {
    /// Takes ownership of a connection's descriptor; the address is its peer's.
    public typealias Accept = (Int32, SocketAddress) -> Void

    /// The bound address, with the port that the system chose for port 0.
    public let address: SocketAddress
    private let loop: EventLoop
    private let accept: Accept
    private let refused: () -> Void
    /// A descriptor that is given up to accept and close a connection when the process has no other left; -1 without one.
    private var reserve: Int32
    private var retry: LoopTimer?
    private var isClosed = false

    private static let acceptsPerTurn = 64
    /// The pause in accepting after the process has run out of descriptors.
    private static let descriptorPause = Duration.milliseconds(50)

    /// Binds and listens; accepts once `start` is called.
    ///
    /// - Parameter refused: called for each connection that is closed at once because the process has no descriptor left.
    public init(
        on loop: EventLoop, address: SocketAddress, backlog: Int32 = 4096, refused: @escaping () -> Void = {},
        accept: @escaping Accept
    ) throws(SocketError) {
        let descriptor = withUnsafePointer(to: address.raw) { cs_listen($0, backlog, 1) }
        guard descriptor >= 0, let bound = SocketAddress.ofSocket(descriptor) else {
            throw SocketError(operation: "listen on \(address)")
        }
        self.loop = loop
        self.accept = accept
        self.refused = refused
        reserve = Self.openReserve()
        self.address = bound
        super.init(descriptor: descriptor)
    }

    /// Throws if another process listens at `address`: with shared ports, binding would silently succeed.
    public static func checkFree(_ address: SocketAddress) throws(SocketError) {
        let descriptor = withUnsafePointer(to: address.raw) { cs_listen($0, 1, 0) }
        guard descriptor >= 0 else { throw SocketError(operation: "listen on \(address)") }
        Glibc.close(descriptor)
    }

    /// Starts to accept.
    public func start() { loop.register(self, for: .readable) }

    deinit { if !isClosed { closeAll() } }

    /// Refuses new requests to connect, and still accepts the connections that are being opened. Call `stop` after
    /// `openingTime`.
    ///
    /// When a listener closes, the kernel resets the connections that were not accepted yet, although their clients may
    /// have sent a request. Instead it drops requests to connect from now on. Their clients repeat them after a second,
    /// and then reach another listener of this address.
    public func takeNoMore() { if isRegistered { _ = cs_drop_new_connections(descriptor) } }

    /// The time within which a connection is opened in a local network.
    public static let openingTime = Duration.milliseconds(50)

    /// Closes the port after accepting the connections that the kernel has completed; accepted connections stay open.
    public func stop() {
        guard isRegistered else { return }
        while acceptWaiting() {}
        // The last attempt may have begun a pause, too.
        retry?.cancel()
        loop.deregister(self)
        isClosed = true
        closeAll()
    }

    private func closeAll() {
        close(descriptor)
        if reserve >= 0 { close(reserve) }
        reserve = -1
    }

    public override func ready(_ events: IOEvents) { _ = acceptWaiting() }

    /// Accepts connections, a limited number at a time.
    ///
    /// - Returns: whether more may be waiting.
    private func acceptWaiting() -> Bool {
        for _ in 0..<Self.acceptsPerTurn {
            var peer = cs_address()
            let connection = cs_accept(descriptor, &peer)
            if connection >= 0 {
                accept(connection, SocketAddress(raw: peer))
            } else if errno == EMFILE && refuseOne() {
                refused()
            } else if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
                pauseAccepting()
                return false
            } else if errno != ECONNABORTED && errno != EINTR {
                return false
            }
        }
        return true
    }

    private static func openReserve() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

    /// Closes the next connection with the help of the reserve, so that its client learns at once that it must wait. A client
    /// in the kernel's queue would wait in vain, and so would those after it.
    ///
    /// - Returns: false if there is no reserve.
    private func refuseOne() -> Bool {
        if reserve < 0 { reserve = Self.openReserve() }
        guard reserve >= 0 else {
            errno = EMFILE
            return false
        }
        close(reserve)
        var peer = cs_address()
        let connection = cs_accept(descriptor, &peer)
        let error = errno
        if connection >= 0 { close(connection) }
        reserve = Self.openReserve()
        errno = error
        return connection >= 0
    }

    private func pauseAccepting() {
        loop.modify(self, for: [])
        retry?.cancel()
        retry = loop.schedule(after: Self.descriptorPause) { [unowned self] in loop.modify(self, for: .readable) }
    }
}
