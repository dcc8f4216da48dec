internal import Contract
internal import EventLoop
internal import Wire

/// How many calls one user, one address and one API key may make; of all instances, where `LimitSharing` runs.
///
/// Home screens fire two calls a room at once, so the burst is wide; what is left is for those who hammer.
public final class CallLimits: Sendable {
    let users: BucketTable<UserID>
    let addresses: BucketTable<String>
    let keys: BucketTable<String>?

    /// - Parameters:
    ///   - perUser: calls a second, and at once, of one user.
    ///   - perAddress: calls without a token a second, and at once, of one address; of one network of 64 bits in IPv6.
    ///   - perKey: calls a second, and at once, of all who use one API key; nil for as many as they like.
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
