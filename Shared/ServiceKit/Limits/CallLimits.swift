internal import Contract
internal import EventLoop
internal import Wire

/// The limits for the calls of one user, one address and one API key. While `SharedLimits` runs, they hold for all instances
/// together.
///
/// A home screen makes two calls per room at once, so the default burst is large.
public final class CallLimits: Sendable {
    let users: BucketTable<UserID>
    let addresses: BucketTable<String>
    let keys: BucketTable<String>?

    /// - Parameters:
    ///   - perUser: calls of one user.
    ///   - perAddress: calls without a token of one address; in IPv6, of one /64 network.
    ///   - perKey: calls with one API key; nil for no limit.
    public init(
        perUser: (rate: Double, burst: Double), perAddress: (rate: Double, burst: Double),
        perKey: (rate: Double, burst: Double)? = nil
    ) {
        users = BucketTable(rate: perUser.rate, burst: perUser.burst)
        addresses = BucketTable(rate: perAddress.rate, burst: perAddress.burst)
        keys = perKey.map { BucketTable(rate: $0.rate, burst: $0.burst) }
    }

    /// - Parameter now: monotonic nanoseconds.
    func admit(_ user: UserID, now: UInt64 = EventLoop.preciseNow) throws(Failure) {
        if let wait = users.take(user, now: now) { throw .tooManyCalls(retryAfter: wait) }
    }

    func admit(address: String) throws(Failure) {
        if let wait = addresses.take(AddressGroup.of(address)) { throw .tooManyCalls(retryAfter: wait) }
    }

    func admit(key: String) throws(Failure) {
        if let wait = keys?.take(key) { throw .tooManyCalls(retryAfter: wait) }
    }
}
