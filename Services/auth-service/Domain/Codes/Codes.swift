import Contract
import Crypto
import Wire

/// Sends codes by mail and checks them.
struct Codes: Sendable {
    let store: CodeStore
    let generator: CodeGenerator
    let mails: MailOutbox
    let limits: Limits

    struct Limits: Sendable {
        /// How long a code is valid.
        let lifetime: Duration
        /// The tries for one code.
        let tries: Int
        /// The mails to one address for one purpose, and those that one account causes, in an hour.
        let mails: Int
    }

    /// The end of a lifetime in which the mails of an address are counted.
    static let window = Duration.seconds(3600)

    static let length = 1...16

    /// Sends a code to an address. A newer code of the same purpose replaces an older one.
    ///
    /// The call does the same for an address with and without an account; `MailDelivery` makes the difference.
    ///
    /// - Parameter isKnownNetwork: whether the owner of the address has signed in from the network that asks for a reset.
    /// - Throws: E99 if no mail is set up, E98 after too many mails.
    func send(
        _ purpose: CodePurpose, to email: EmailAddress, for account: UserID?, language: MailLanguage?,
        isKnownNetwork: Bool = false
    ) async throws {
        try mails.requireSetUp()
        let now = Timestamp.now
        let code = CodeStore.NewCode(
            seed: CodeSeed(purpose, address: email.key, account: account), recipient: email.text, language: language,
            isFromKnownNetwork: isKnownNetwork, createdAt: now, expiresAt: now + limits.lifetime)
        if let oldest = try await store.insert(code, atMost: limits.mails, since: now - Self.window) {
            throw Failure.tooManyCalls(retryAfter: max(.seconds(1), oldest + Self.window - now))
        }
        mails.wake()
    }

    /// Checks a code and counts the try. The caller uses the code up with `CodeStore.use`.
    ///
    /// - Parameter isKnownNetwork: whether the owner of the address has signed in from the network that tries to reset.
    /// - Throws: E11 for a wrong, old or used code, and after the last try.
    func check(
        _ text: String, _ purpose: CodePurpose, at email: EmailAddress, of account: UserID?,
        isKnownNetwork: Bool = false
    ) async throws -> CodeID {
        try mails.requireSetUp()
        let found = try await store.takeTry(
            of: purpose, at: email.key, account: account, isKnownNetwork: isKnownNetwork, atMost: limits.tries,
            now: .now)
        // The check of an address without a code takes as long as any other.
        let seed = found?.seed ?? CodeSeed(purpose, address: email.key, account: account)
        guard generator.isCode(text, of: seed), let found else { throw Self.refused }
        return found.id
    }

    static let refused = Failure.invalid("The code is wrong or has expired.")
}

/// The subject of ids of codes.
enum CodeSubject {}
typealias CodeID = ID<CodeSubject>
