internal import Contract
internal import Wire

/// How many calls one user and one address may make of this instance.
///
/// Home screens fire two calls a room at once, so the burst is wide; what is left is for those who hammer.
public final class CallLimits: Sendable {
    private let users: BucketTable<UserID>
    private let addresses: BucketTable<String>

    /// - Parameters:
    ///   - perUser: calls a second, and at once, of one user.
    ///   - perAddress: calls without a token a second, and at once, of one address.
    public init(perUser: (rate: Double, burst: Double), perAddress: (rate: Double, burst: Double)) {
        users = BucketTable(rate: perUser.rate, burst: perUser.burst)
        addresses = BucketTable(rate: perAddress.rate, burst: perAddress.burst)
    }

    func admit(_ user: UserID, under profile: ClientProfile) throws(Failure) {
        if let wait = users.take(user) { throw .tooManyCalls(retryAfter: wait) }
    }

    func admit(address: String) throws(Failure) {
        if let wait = addresses.take(address) { throw .tooManyCalls(retryAfter: wait) }
    }
}
