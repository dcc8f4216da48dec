internal import CSystem

/// A descriptor that a loop watches. Subclasses handle its events.
///
/// - Note: `@unchecked Sendable` because a channel belongs to one loop: after `register` only that loop's thread may
///   touch it. The loop retains it while it is registered and until the events that epoll has already reported are
///   delivered.
open class Channel: @unchecked Sendable {
    /// The descriptor; the subclass closes it, after `deregister`.
    public final let descriptor: Int32
    /// Whether a loop watches the descriptor.
    public final fileprivate(set) var isRegistered = false

    /// Takes over an open, non-blocking descriptor.
    public init(descriptor: Int32) { self.descriptor = descriptor }

    /// Called on the loop when the descriptor is ready; level-triggered unless it was registered for edges.
    open func ready(_ events: IOEvents) {}

    /// Called when the loop ends while the channel is registered. An override resumes everything that waits for the
    /// channel.
    open func loopEnded() {}
}

/// The readiness of a descriptor, in epoll's terms.
public struct IOEvents: OptionSet, Sendable {
    /// epoll's own bits.
    public let rawValue: UInt32

    /// Takes epoll's own bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There are bytes to read, a connection to accept, or the end of the input.
    public static let readable = IOEvents(rawValue: EPOLLIN.rawValue)
    /// There is space in the send buffer.
    public static let writable = IOEvents(rawValue: EPOLLOUT.rawValue)
    /// The peer will send no more.
    public static let readEnd = IOEvents(rawValue: EPOLLRDHUP.rawValue)
    /// Edge-triggered: reported once when the descriptor becomes ready, instead of as long as it is.
    public static let edges = IOEvents(rawValue: EPOLLET.rawValue)
    /// Failed, or closed in both directions; always reported.
    public static let failed = IOEvents(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
}

extension EventLoop {
    /// Starts watching `channel` for `events`.
    public func register(_ channel: Channel, for events: IOEvents) {
        preconditionInLoop()
        precondition(!channel.isRegistered, "the channel is registered already")
        channels.add(channel)
        channel.isRegistered = true
        let failure = cs_epoll_add(epoll, channel.descriptor, events.rawValue, channel.asEpollTarget)
        precondition(failure == 0, "epoll_ctl could not add the descriptor")
    }

    /// Changes the events for which a registered channel is watched.
    public func modify(_ channel: Channel, for events: IOEvents) {
        preconditionInLoop()
        guard channel.isRegistered else { return }
        _ = cs_epoll_modify(epoll, channel.descriptor, events.rawValue, channel.asEpollTarget)
    }

    /// Stops watching. No further event of this channel is delivered, including those that epoll has already reported.
    public func deregister(_ channel: Channel) {
        preconditionInLoop()
        guard channel.isRegistered else { return }
        channel.isRegistered = false
        _ = cs_epoll_remove(epoll, channel.descriptor)
        channels.remove(channel)
    }
}

extension Channel {
    fileprivate final var asEpollTarget: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
