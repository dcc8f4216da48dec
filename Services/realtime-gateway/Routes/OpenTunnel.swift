import EventLoop
import Synchronization

/// A tunnel that the owner has agreed to, until the client takes it. The owner's end is closed if that never happens, because the
/// client has gone away meanwhile: nothing else would close it.
final class OpenTunnel: Sendable {
    private let owner: StreamSocket
    private let hasBegun = Atomic<Bool>(false)

    init(to owner: StreamSocket) { self.owner = owner }

    deinit {
        if !hasBegun.load(ordering: .relaxed) { owner.loop.execute { [owner] in owner.close() } }
    }

    /// Passes bytes in both directions; returns the handler of the client's socket. On the loop of both sockets.
    func begin(from client: StreamSocket) -> TunnelEnd {
        hasBegun.store(true, ordering: .relaxed)
        owner.handOver(to: TunnelEnd(of: owner, to: client))
        return TunnelEnd(of: client, to: owner)
    }
}
