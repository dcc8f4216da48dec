import Contract
import Crypto
import Postgres
import ServiceKit
import Wire

/// Opens, renews and ends sessions.
struct Sessions: Sendable {
    let store: SessionStore
    let devices: DeviceStore
    let issuer: TokenIssuer
    let publisher: RevocationPublisher
    let facts: AccountFactPublisher
    /// Refreshes of one session. A client that answers every error with a refresh would loop without it.
    let refreshes: BucketTable<SessionID>

    /// A client that lost a reply may send a used token again for this long; after that a used token counts as stolen.
    /// Within the grace a token may get several successors, of which the first one used is kept.
    private static let grace = Duration.seconds(60)

    /// The tokens that a client stores.
    struct Tokens: Sendable {
        let access: String
        let refresh: String
    }

    /// A session that was just opened or renewed, with its tokens.
    struct Grant: Sendable {
        let session: Session
        let tokens: Tokens
        /// The value of the socket cookie.
        let socketToken: String
    }

    /// Opens a session, and reports it for the audit logs of the user's workspaces. A device token, if given, becomes the session's.
    ///
    /// - Parameters:
    ///   - address: the IP address of the client.
    ///   - credentials: the version of the password that the user signed in with; nil without a password.
    ///   - version: the version of the second factor that asked for no code; nil for any.
    /// - Throws: E03 if the password or the second factor has been changed since it was checked, or the account is gone or
    ///   disabled.
    func open(
        _ account: UserID, credentials: Int64? = nil, secondFactor version: Int64? = nil,
        under profile: ClientProfile, from address: String, device: String?
    ) async throws -> Grant {
        let now = Timestamp.now
        let token = BearerSecret()
        let session = try await facts.outbox.transaction { tx -> Session? in
            let session = try await store.open(
                account, credentials: credentials, secondFactor: version, profile: profile.name, token: token,
                from: now, to: now + profile.refreshTokenLifetime, in: tx)
            guard let session else { return nil }
            let act = AccountAct(user: account, at: now, address: address, app: profile.name)
            try await facts.signedIn(act, in: tx)
            return session
        }
        guard let session else {
            throw try await store.isDisabled(account) ? Accounts.disabled : Accounts.wrongPassword
        }
        if let device, !device.isEmpty { try await devices.set(device, of: session.id, account, at: now) }
        return grant(session, token.text, profile, now)
    }

    /// Renews access with a refresh token; under a profile that rotates tokens the token is used up.
    func renew(_ text: String, under profile: ClientProfile) async throws -> Grant {
        guard let token = BearerSecret(text) else { throw Failure(.invalidToken, "The refresh token is not valid.") }
        let now = Timestamp.now
        guard let (session, usedAt) = try await store.find(token), session.isOpen(at: now) else {
            throw Failure(.expiredRefresh, "The refresh token has expired.")
        }
        if let wait = refreshes.take(session.id) { throw Failure.tooManyCalls(retryAfter: wait) }
        // Under another app's key a token that rotates could be used for ever.
        guard session.profile == profile.name else {
            throw Failure(.expiredRefresh, "The refresh token belongs to another app.")
        }
        guard profile.refreshToken == .rotates else { return grant(session, token.text, profile, now) }
        if let usedAt, now - usedAt > Self.grace { try await refuseTheft(of: session) }
        let next = BearerSecret()
        let use = try await store.rotate(token, to: next, of: session.id, at: now)
        if now - use.firstAt > Self.grace || !use.isFirstSuccessor { try await refuseTheft(of: session) }
        return grant(session, next.text, profile, now)
    }

    /// Ends a session after a reuse: two clients have its refresh tokens, and one of them stole them.
    private func refuseTheft(of session: Session) async throws {
        try await end(session.id, of: session.account)
        throw Failure(.expiredRefresh, "The refresh token has been used before.")
    }

    /// Ends a session; every service learns of it within a second. Returns false if the session was not open.
    @discardableResult
    func end(_ id: SessionID, of account: UserID) async throws -> Bool {
        let now = Timestamp.now
        guard try await store.revoke(id, of: account, at: now) else { return false }
        publisher.publish(Revocation(session: id, user: account, at: now))
        return true
    }

    /// Ends all sessions of an account in the same way; returns how many.
    @discardableResult
    func endAll(of account: UserID) async throws -> Int {
        let now = Timestamp.now
        let ended = try await store.revokeAll(of: account, at: now)
        publish(ended, of: account, at: now)
        return ended.count
    }

    /// Ends all sessions of an account but one within a transaction. After its commit the caller publishes them.
    func revokeAll(
        of account: UserID, except kept: SessionID? = nil, at now: Timestamp, in transaction: PostgresTransaction
    ) async throws -> [SessionID] {
        try await store.revokeAll(of: account, except: kept, at: now, in: transaction)
    }

    /// Tells every service that sessions have ended.
    func publish(_ ended: [SessionID], of account: UserID, at now: Timestamp) {
        for session in ended { publisher.publish(Revocation(session: session, user: account, at: now)) }
    }

    private func grant(_ session: Session, _ refresh: String, _ profile: ClientProfile, _ now: Timestamp) -> Grant {
        Grant(
            session: session,
            tokens: Tokens(access: issuer.accessToken(for: session, under: profile, now: now), refresh: refresh),
            socketToken: issuer.socketToken(for: session, now: now))
    }
}
