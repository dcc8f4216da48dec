internal import Contract
internal import Crypto

/// Asks the authority which bot has a token. An address that shows many unknown tokens waits, and the authority is not
/// asked meanwhile.
///
/// Each question takes from the bucket of its address, and an answer with a bot gives back, as does a question without an
/// answer. So an address may have any number of bots, also while the authority is away, and unknown tokens count while their
/// question is under way. Each instance counts its own, in memory.
struct BotQuestions: Sendable {
    private let authority: any TokenAuthority
    private let unknown = BucketTable<String>(rate: 10, burst: Double(Self.burst), capacity: 1 << 14)

    /// Unknown tokens of one address at once.
    static let burst = 500

    init(_ authority: any TokenAuthority) { self.authority = authority }

    /// The bot of a token; nil if there is none, or it has ended.
    func bot(of secret: BearerSecret, from address: String) async throws -> BotIdentity? {
        let group = AddressGroup.of(address)
        if let wait = unknown.take(group) { throw Failure.tooManyCalls(retryAfter: wait) }
        do {
            let bot = try await authority.bot(of: secret.hash)
            if bot != nil { unknown.giveBack(group) }
            return bot
        } catch {
            // The question of a client that has gone away meanwhile counts.
            if !Task.isCancelled { unknown.giveBack(group) }
            throw error
        }
    }
}
