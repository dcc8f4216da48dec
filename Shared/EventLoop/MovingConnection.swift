internal import Glibc

/// A connection on its way from one loop to another; closed if it never arrives.
///
/// - Note: `@unchecked Sendable` because one loop makes it and only the loop that receives it changes it.
public final class MovingConnection: @unchecked Sendable {
    let descriptor: Int32
    let peer: SocketAddress
    let unread: UnreadBytes
    let hasSeenEnd: Bool
    let attachment: AnyObject?
    private var isUnderWay = true

    init(descriptor: Int32, peer: SocketAddress, unread: UnreadBytes, hasSeenEnd: Bool, attachment: AnyObject?) {
        self.descriptor = descriptor
        self.peer = peer
        self.unread = unread
        self.hasSeenEnd = hasSeenEnd
        self.attachment = attachment
    }

    deinit { if isUnderWay { close(descriptor) } }

    func hasArrived() { isUnderWay = false }
}
