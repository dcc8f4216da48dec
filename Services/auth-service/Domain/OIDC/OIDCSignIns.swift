import Contract
import Crypto
import ServiceKit
import Wire

/// Signs users in with OpenID Connect: the code flow with PKCE, state and nonce.
struct OIDCSignIns: Sendable {
    let issuers: [OIDCIssuer]
    let store: OIDCStore
    let accounts: SocialAccounts

    private static let lifetime = Duration.seconds(600)
    static let longestText = 2048

    /// A sign-in that has begun.
    struct Begun: Sendable {
        /// Where the user goes.
        let address: String
        let attempt: OIDCAttempt
        let expiresAt: Timestamp
    }

    /// The issuer's reply, with the ticket of the app.
    struct Reply: Sendable {
        let ticket: String
        let state: String
        let code: String
        /// The issuer that the address of the reply names (RFC 9207).
        let issuer: String?
    }

    /// Begins a sign-in with an issuer.
    ///
    /// - Throws: E13 for an unknown issuer, E11 for an address that is not registered.
    func begin(with name: String, redirect: String, under profile: ClientProfile) async throws -> Begun {
        let issuer = try issuer(named: name)
        guard issuer.registration.redirects.contains(redirect) else {
            throw Failure.invalid("redirect is not one of this issuer's addresses.")
        }
        let attempt = OIDCAttempt(redirect: redirect)
        let expiry = Timestamp.now + Self.lifetime
        let address = try await issuer.address(of: attempt)
        try await store.insert(attempt, issuer: name, profile: profile.name, until: expiry)
        return Begun(address: address, attempt: attempt, expiresAt: expiry)
    }

    /// Ends a sign-in: returns the account of the user that the issuer names.
    ///
    /// - Throws: E02 for a reply that belongs to no sign-in of this app, E03 if the issuer does not confirm it.
    func finish(_ reply: Reply, under profile: ClientProfile, language: MailLanguage?) async throws -> Account {
        try await accounts.account(
            of: try await identity(of: reply, under: profile, isProof: false), language: language)
    }

    /// Ends a sign-in that proves something for a session, without opening an account: returns the user that the issuer names.
    ///
    /// - Throws: as `finish` does; E03 as well if the person has not signed in at the issuer since the sign-in began.
    func proof(of reply: Reply, under profile: ClientProfile) async throws -> SocialIdentity {
        try await identity(of: reply, under: profile, isProof: true)
    }

    private func identity(
        of reply: Reply, under profile: ClientProfile, isProof: Bool
    ) async throws -> SocialIdentity {
        // Every outcome uses the sign-in up, so that nothing about it can be tried twice.
        guard let ticket = BearerSecret(reply.ticket),
            let begun = try await store.take(ticket.hash, profile: profile.name, at: .now),
            ConstantTime.areEqual(OIDCAttempt.hash(reply.state).span, begun.state.span)
        else { throw Failure(.invalidToken, "The sign-in is unknown or has ended. Begin it again.") }
        let issuer = try issuer(named: begun.issuer)
        // A reply of another issuer would send its code to the wrong one (mix-up).
        let namesItself = try await issuer.configuration().namesItself
        guard reply.issuer == issuer.registration.issuer || (reply.issuer == nil && !namesItself) else {
            throw Failure(.invalidToken, "The reply is from another issuer.")
        }
        return try await issuer.identity(
            of: reply.code, verifier: OIDCAttempt.verifier(of: begun.seed), redirect: begun.redirect,
            nonceHash: begun.nonce, since: isProof ? begun.expiresAt - Self.lifetime : nil)
    }

    /// Forgets sign-ins that nobody ended.
    func forget() async throws { try await store.forget(expiredAt: .now) }

    private func issuer(named name: String) throws(Failure) -> OIDCIssuer {
        guard let issuer = issuers.first(where: { $0.registration.name == name }) else { throw .notFound }
        return issuer
    }
}
