import Synchronization
import Wire

/// Bounds the sockets without an identity, and those of one user, so that they leave room for the others.
///
/// A socket proves its identity by its handshake or with a join. A socket that does neither holds its slot only for a while.
final class SocketShares: Sendable {
    /// How long a socket may stay open without an identity.
    let namelessTimeout: Duration
    private let mostNameless: Int
    private let mostOfUser: Int
    private let counts = Mutex<[Holder: Int]>([:])

    fileprivate enum Holder: Hashable {
        case nameless
        case user(UserID)
    }

    /// - Parameters:
    ///   - nameless: sockets without an identity.
    ///   - user: sockets of one user.
    init(nameless: Int, user: Int, namelessTimeout: Duration) {
        mostNameless = max(1, nameless)
        mostOfUser = user
        self.namelessTimeout = namelessTimeout
    }

    /// Takes a slot for a socket of a user, or for one without an identity; nil if none is free.
    func take(for user: UserID?) -> Slot? {
        let holder = user.map(Holder.user) ?? .nameless
        let limit = user == nil ? mostNameless : mostOfUser
        let isFree = counts.withLock { counts in
            guard counts[holder, default: 0] < limit else { return false }
            counts[holder, default: 0] += 1
            return true
        }
        return isFree ? Slot(of: holder, in: self) : nil
    }

    private func release(_ holder: Holder) {
        counts.withLock { counts in
            let left = (counts[holder] ?? 1) - 1
            counts[holder] = left == 0 ? nil : left
        }
    }

    /// The slot of one socket, free again when this object is released.
    final class Slot: Sendable {
        private let holder: Holder
        private let shares: SocketShares

        fileprivate init(of holder: Holder, in shares: SocketShares) {
            self.holder = holder
            self.shares = shares
        }

        deinit { shares.release(holder) }
    }
}
