import Contract
import Crypto
import ServiceKit
import Wire

/// Asks for the second factor at a sign-in: the first step ends with a ticket, the second one brings it back with a code.
///
/// A device needs no code for thirty days if its user has chosen to remember it.
struct SignInTickets: Sendable {
    let factors: SecondFactors
    let store: SignInTicketStore

    /// A sign-in that waits for its code.
    struct Ticket: Sendable {
        /// 256 random bits as text; the table has their hash.
        let text: String
        let expiresAt: Timestamp
    }

    /// The first step of a sign-in, as the second one goes on with it.
    struct Pending: Sendable, Equatable {
        let account: UserID
        /// The version of the password that the user signed in with; nil without a password.
        let credentials: Int64?
    }

    private static let lifetime = Duration.seconds(300)
    private static let tries = 5
    static let memory = Duration.seconds(30 * 86_400)

    /// The ticket of a sign-in that needs a code; nil if it needs none. The session must be opened at the returned version of the
    /// second factor.
    ///
    /// - Parameter remembered: the token of a remembered device, if the client has one.
    /// - Throws: E03 for an app that cannot ask for a code.
    func ticket(
        for account: UserID, credentials: Int64?, remembered: String?, under profile: ClientProfile
    ) async throws -> (ticket: Ticket?, version: Int64) {
        let state = try await factors.state(of: account)
        guard state.isEnabled else { return (nil, state.version) }
        let now = Timestamp.now
        if let token = remembered.flatMap({ BearerSecret($0) }), profile.isNative,
            try await store.isRemembered(token.hash, of: account, at: now)
        {
            return (nil, state.version)
        }
        // Shipped apps know no second step. To let them pass would make the second factor worthless.
        guard profile.isNative else {
            throw Failure(.unknownAccount, "This account needs a second factor. Sign in with an app that asks for it.")
        }
        let token = BearerSecret()
        let expiry = now + Self.lifetime
        try await store.insert(
            token.hash, Pending(account: account, credentials: credentials), profile: profile.name, at: now,
            until: expiry)
        return (Ticket(text: token.text, expiresAt: expiry), state.version)
    }

    /// Ends the second step with a right code.
    ///
    /// - Throws: E02 for an unknown, used or old ticket, E11 for a wrong code, E98 after too many.
    func redeem(_ text: String, code: String, under profile: ClientProfile) async throws -> Pending {
        guard let token = BearerSecret(text),
            let pending = try await store.takeTry(
                token.hash, profile: profile.name, atMost: Self.tries, at: .now)
        else { throw Self.invalid }
        try await factors.verify(code, of: pending.account)
        // Of two calls with one ticket, one is refused.
        guard try await store.delete(token.hash) else { throw Self.invalid }
        return pending
    }

    /// Remembers a device; returns the token that it keeps.
    func remember(_ account: UserID) async throws -> String {
        let token = BearerSecret()
        try await store.remember(token.hash, of: account, at: .now, until: .now + Self.memory)
        return token.text
    }

    /// Forgets old tickets and devices.
    func forget() async throws { try await store.forget(expiredAt: .now) }

    private static let invalid = Failure(.invalidToken, "The ticket is not valid any more. Sign in again.")
}
