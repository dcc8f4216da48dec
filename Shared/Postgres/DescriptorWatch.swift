internal import EventLoop
internal import Glibc

/// Watches a socket of libpq through a duplicate of its descriptor. libpq closes its own descriptor inside a call when the
/// connection fails, but a descriptor must be deregistered from epoll before it is closed.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class DescriptorWatch: Channel, @unchecked Sendable {
    private let loop: EventLoop
    private let action: (IOEvents) -> Void

    /// Fails if the process has no free descriptor.
    init?(_ socket: Int32, for events: IOEvents, on loop: EventLoop, _ action: @escaping (IOEvents) -> Void) {
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        self.loop = loop
        self.action = action
        super.init(descriptor: descriptor)
        loop.register(self, for: events)
    }

    override func ready(_ events: IOEvents) { action(events) }

    func wait(for events: IOEvents) { loop.modify(self, for: events) }

    func stop() {
        guard isRegistered else { return }
        loop.deregister(self)
        close(descriptor)
    }
}
