import Contract
import Crypto
import Postgres
import ServiceKit
import Wire

/// Deletes accounts. The account is unusable when the call returns; its data in other services go within a minute.
struct Erasures: Sendable {
    let store: ErasureStore
    let sessions: Sessions
    let facts: AccountFactPublisher
    let workspaces: WorkspaceClient
    let mails: MailOutbox
    let portraits: Pictures
    let signal: WakeSignal

    /// The owner's wish.
    struct Order: Sendable {
        let account: UserID
        let deletesMessages: Bool
        /// The confirmation by a provider, which lets the grant there be revoked.
        let grant: Grant?
    }

    /// A grant at a provider and the means to revoke it.
    struct Grant: Sendable, Equatable {
        let provider: SocialProvider
        let subject: String
        /// Kakao's access token or Apple's authorization code; nil if the owner gave none.
        let token: String?
        /// The id of our app that Apple's code is for.
        let client: String?
    }

    /// The pause between the deletion and the first round: sessions end everywhere within a second.
    static let settling = Duration.seconds(2)

    /// The workspaces that the owner has to hand over or delete first.
    func obstacles(of account: UserID) async throws -> [WorkspaceID] {
        try await workspaces.sharedWorkspaces(ownedBy: account)
    }

    /// Deletes an account in one transaction: ends its sessions, erases its data here, and orders the rest.
    func delete(_ order: Order) async throws {
        let now = Timestamp.now
        let (account, ended) = try await facts.outbox.transaction { tx in
            // The goodbye goes to the address that the account has until then.
            try await mails.sayGoodbye(to: order.account, at: now, in: tx)
            let closed = try await store.close(order.account, at: now, in: tx)
            guard let (account, addresses) = closed else { throw Failure.notFound }
            let ended = try await sessions.revokeAll(of: order.account, at: now, in: tx)
            try await store.begin(order, of: addresses, at: now, due: now + Self.settling, in: tx)
            try await store.eraseOwn(order.account, in: tx)
            try await facts.changed(account, in: tx)
            return (account, ended)
        }
        facts.hint(account)
        sessions.publish(ended, of: order.account, at: now)
        signal.wake()
        mails.wake()
        portraits.removeUnusedSoon()
    }

    /// Notes that a service has erased its part.
    func erased(_ account: UserID, by part: ErasurePart, round: Int) async throws {
        guard try await store.finish(part, of: account, round: round, at: .now) else { throw Failure.notFound }
        signal.wake()
    }
}

/// The profile of a deleted account.
enum DeletedProfile {
    static let nickname = "탈퇴한 사용자"
    /// A reserved domain without mail (RFC 2606).
    private static let domain = "deleted.invalid"

    /// An address for the row of a deleted account. It is random, because anybody could join with one that they foresee, and keep
    /// the account from being deleted.
    static func address(of account: UserID) -> String {
        "deleted-\(account)-\(Hexadecimal.encode(SecureRandom.bytes(12).span))@\(domain)"
    }
}
