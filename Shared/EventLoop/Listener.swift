internal import CSystem
internal import Glibc

/// Accepts connections on one loop. One a loop on the same address shares the port: the kernel spreads connections.
public final class Listener: Channel, @unchecked Sendable {
    /// Takes over a connection's descriptor and its peer.
    public typealias Accept = (Int32, SocketAddress) -> Void

    /// The bound address; tells the port that the system chose for port 0.
    public let address: SocketAddress
    private let loop: EventLoop
    private let accept: Accept
    private var retry: LoopTimer?
    private var isClosed = false

    private static let acceptsPerTurn = 64
    /// How long accepting rests when descriptors have run out.
    private static let rest = Duration.milliseconds(50)

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

    /// Makes sure that nobody listens at `address`, since listeners that share their port would silently join others.
    public static func checkFree(_ address: SocketAddress) throws(SocketError) {
        let descriptor = withUnsafePointer(to: address.raw) { cs_listen($0, 1, 0) }
        guard descriptor >= 0 else { throw SocketError(operation: "listen on \(address)") }
        Glibc.close(descriptor)
    }

    /// Starts to accept.
    public func start() { loop.register(self, for: .readable) }

    deinit { if !isClosed { close(descriptor) } }

    /// Closes the port, after accepting what the kernel has already completed; connections accepted go on.
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
                return restForAWhile()
            } else if errno != ECONNABORTED && errno != EINTR {
                return
            }
        }
    }

    private func restForAWhile() {
        loop.modify(self, for: [])
        retry = loop.schedule(after: Self.rest) { [unowned self] in loop.modify(self, for: .readable) }
    }
}
