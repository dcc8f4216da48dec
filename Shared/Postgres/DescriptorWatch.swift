internal import EventLoop
internal import Glibc

/// Watches a socket that libpq owns, through a descriptor of its own: libpq closes its own in the middle of a call when the
/// connection fails, and epoll must be told before.
final class DescriptorWatch: Channel, @unchecked Sendable {
    private let loop: EventLoop
    private let action: (IOEvents) -> Void

    init(_ socket: Int32, for events: IOEvents, on loop: EventLoop, _ action: @escaping (IOEvents) -> Void) {
        self.loop = loop
        self.action = action
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        super.init(descriptor: descriptor)
        if descriptor >= 0 { loop.register(self, for: events) }
    }

    /// Whether there was a descriptor left to watch with.
    var isWatching: Bool { isRegistered }

    override func ready(_ events: IOEvents) { action(events) }

    func wait(for events: IOEvents) { loop.modify(self, for: events) }

    func stop() {
        guard isRegistered else { return }
        loop.deregister(self)
        close(descriptor)
    }
}
