import Synchronization

/// Bounds the number of sockets without an identity, so that they leave room for the others.
///
/// A socket proves its identity by its handshake or with a join. A socket that does neither holds a place only for a while.
final class NamelessSockets: Sendable {
    /// How long a socket may stay open without an identity.
    let timeout: Duration
    private let limit: Int
    private let taken = Atomic<Int>(0)

    init(limit: Int, timeout: Duration) {
        self.limit = max(1, limit)
        self.timeout = timeout
    }

    /// The sockets without an identity.
    var count: Int { taken.load(ordering: .relaxed) }

    /// Takes a place; nil if none is free.
    func take() -> Place? {
        let place = Place(in: self)
        return count <= limit ? place : nil
    }

    /// The place of one socket, free again when this object is released.
    final class Place: Sendable {
        private let sockets: NamelessSockets

        fileprivate init(in sockets: NamelessSockets) {
            self.sockets = sockets
            sockets.taken.wrappingAdd(1, ordering: .relaxed)
        }

        deinit { sockets.taken.wrappingSubtract(1, ordering: .relaxed) }
    }
}
