internal import EventLoop
internal import Glibc

/// Watches a socket that libpq owns, through a descriptor of its own: libpq closes its own in the middle of a call
/// when the connection fails, and epoll must be told before.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class DescriptorWatch: Channel, @unchecked Sendable {
    private let loop: EventLoop
    private let action: (IOEvents) -> Void

    /// Nil where the process has no descriptor left.
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
