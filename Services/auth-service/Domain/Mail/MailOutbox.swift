import Contract
import Postgres
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Accepts mails for delivery. A mail that is committed is sent at least once, through any crash.
final class MailOutbox: Sendable {
    private let store: MailStore
    /// Whether the settings name a mail server.
    let isSetUp: Bool
    /// How long a notice may wait for the server.
    private let lifetime: Duration
    private let signal: WakeSignal
    private let log: Log
    private let hasLogged = Atomic<Bool>(false)

    init(store: MailStore, isSetUp: Bool, lifetime: Duration, signal: WakeSignal, log: Log) {
        self.store = store
        self.isSetUp = isSetUp
        self.lifetime = lifetime
        self.signal = signal
        self.log = log
    }

    /// Throws E99 if the deployment sends no mail; the log has one line about it.
    func requireSetUp() throws(Failure) {
        guard !isSetUp else { return }
        if !hasLogged.exchange(true, ordering: .relaxed) {
            log.error("mail is not set up: the routes that send mail answer E99")
        }
        throw Failure(.serverError, "This server sends no mail.", status: 503)
    }

    /// Tells an account's owner of something that has happened. Accounts with addresses that refuse mails get none.
    ///
    /// - Parameter recipient: the address, if it is not the account's present one.
    func notify(
        _ account: UserID, _ template: MailTemplate, detail: String = "", at recipient: String? = nil,
        key: String? = nil, in transaction: PostgresTransaction? = nil
    ) async throws {
        guard isSetUp else { return }
        let mail = MailStore.Notice(
            account: account, recipient: recipient, template: template, detail: detail, key: key)
        try await store.insert(mail, at: .now, lifetime: lifetime, in: transaction)
        // A mail that is not committed yet is found at the next search.
        signal.wake()
    }

    /// Tells an owner of the deletion of the account. The mail does not name the account, so that it is sent after the deletion. Without
    /// a mail server there is none: nothing would delete it, and it has the address.
    func sayGoodbye(to account: UserID, at now: Timestamp, in transaction: PostgresTransaction) async throws {
        guard isSetUp else { return }
        let mail = MailStore.Notice(
            account: account, recipient: nil, template: .accountDeleted, detail: "", key: nil, outlivesAccount: true)
        try await store.insert(mail, at: now, lifetime: .seconds(86_400), in: transaction)
    }

    /// Mails an invitation to an address with or without an account. A repeated order sends no second mail.
    func invite(_ mail: InvitationMail, key: String) async throws {
        guard isSetUp, mail.expiresAt > .now else { return }
        try await store.insert(mail, key: key, at: .now)
        signal.wake()
    }

    /// Makes the delivery look for mails at once.
    func wake() { signal.wake() }
}
