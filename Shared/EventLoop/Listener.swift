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
    private var retry: LoopTimer?
    private var isClosed = false

    private static let acceptsPerTurn = 64
    /// The pause in accepting after the process has run out of descriptors.
    private static let descriptorPause = Duration.milliseconds(50)

    /// Binds and listens; accepts once `start` is called.
    public init(
        on loop: EventLoop, address: SocketAddress, backlog: Int32 = 4096, accept: @escaping Accept
    ) throws(SocketError) {
        let descriptor = withUnsafePointer(to: address.raw) { cs_listen($0, backlog, 1) }
        guard descriptor >= 0, let bound = SocketAddress.ofSocket(descriptor) else {
            throw SocketError(operation: "listen on \(address)")
        }
        self.loop = loop
        self.accept = accept
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

    deinit { if !isClosed { close(descriptor) } }

    /// Closes the port after accepting the connections that the kernel has completed; accepted connections stay open.
    public func stop() {
        retry?.cancel()
        guard isRegistered else { return }
        ready(.readable)
        loop.deregister(self)
        isClosed = true
        close(descriptor)
    }

    public override func ready(_ events: IOEvents) {
        for _ in 0..<Self.acceptsPerTurn {
            var peer = cs_address()
            let connection = cs_accept(descriptor, &peer)
            if connection >= 0 {
                accept(connection, SocketAddress(raw: peer))
            } else if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
                return pauseAccepting()
            } else if errno != ECONNABORTED && errno != EINTR {
                return
            }
        }
    }

    private func pauseAccepting() {
        loop.modify(self, for: [])
        retry = loop.schedule(after: Self.descriptorPause) { [unowned self] in loop.modify(self, for: .readable) }
    }
}
