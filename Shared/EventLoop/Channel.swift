internal import CSystem

/// A descriptor that a loop watches. Subclasses say what happens when it is ready.
///
/// - Note: `@unchecked Sendable` because a channel belongs to one loop: after `register` only that loop's thread may
///   touch it. The loop keeps it alive while it is registered and until the events already fetched are delivered.
open class Channel: @unchecked Sendable {
    /// The descriptor; the subclass closes it, after `deregister`.
    public final let descriptor: Int32
    /// Whether a loop watches the descriptor.
    public final fileprivate(set) var isRegistered = false

    /// Takes over an open, non-blocking descriptor.
    public init(descriptor: Int32) { self.descriptor = descriptor }

    /// Called on the loop when the descriptor is ready; level-triggered unless it was registered for edges.
    open func ready(_ events: IOEvents) {}

    /// Called when the loop ends while the channel is registered: wake whoever waits for it.
    open func loopEnded() {}
}

/// What a descriptor is ready for, in epoll's terms.
public struct IOEvents: OptionSet, Sendable {
    /// epoll's own bits.
    public let rawValue: UInt32

    /// Takes epoll's own bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Bytes or a connection to take, or the end of input.
    public static let readable = IOEvents(rawValue: EPOLLIN.rawValue)
    /// Room in the send buffer.
    public static let writable = IOEvents(rawValue: EPOLLOUT.rawValue)
    /// The peer will send no more.
    public static let readEnd = IOEvents(rawValue: EPOLLRDHUP.rawValue)
    /// Told once when it becomes ready instead of as long as it is.
    public static let edges = IOEvents(rawValue: EPOLLET.rawValue)
    /// Failed or closed both ways; always reported.
    public static let failed = IOEvents(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
}

extension EventLoop {
    /// Starts to watch `channel` for `events`.
    public func register(_ channel: Channel, for events: IOEvents) {
        preconditionInLoop()
        precondition(!channel.isRegistered)
        channels[ObjectIdentifier(channel)] = channel
        channel.isRegistered = true
        let failure = cs_epoll_add(epoll, channel.descriptor, events.rawValue, channel.asEpollTarget)
        precondition(failure == 0, "epoll refuses the descriptor")
    }

    /// Watches a registered channel for other events.
    public func modify(_ channel: Channel, for events: IOEvents) {
        guard channel.isRegistered else { return }
        _ = cs_epoll_modify(epoll, channel.descriptor, events.rawValue, channel.asEpollTarget)
    }

    /// Stops to watch; no event of this channel is delivered any more, fetched ones included.
    public func deregister(_ channel: Channel) {
        preconditionInLoop()
        guard channel.isRegistered else { return }
        channel.isRegistered = false
        _ = cs_epoll_remove(epoll, channel.descriptor)
        channels[ObjectIdentifier(channel)] = nil
        retired.append(channel)
    }
}

extension Channel {
    fileprivate final var asEpollTarget: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
