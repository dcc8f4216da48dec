import Contract
import ServiceKit
import Wire

/// Checks that the caller of a deletion is the owner: by the password, by a fresh token of a linked provider, or by a
/// new sign-in with a linked issuer. An account that an issuer has opened may have no password, and no address to set one.
struct DeletionConfirmation: Sendable {
    let credentials: Credentials
    let identities: IdentityStore
    let kakao: Kakao
    let apple: Apple
    let issuers: OIDCSignIns

    enum Proof: Sendable {
        case password(String)
        case kakao(String)
        /// Apple's authorization code, if the app has one, lets us revoke the grant.
        case apple(String, code: String?)
        case issuer(OIDCSignIns.Reply)
    }

    /// Returns the grant that a provider's token can revoke; nil for a password and an issuer.
    func confirm(
        _ caller: Caller, from address: String, under profile: ClientProfile, by proof: Proof
    ) async throws -> Erasures.Grant? {
        switch proof {
        case .password(let password):
            _ = try await credentials.confirm(caller.user, from: address, password: password)
            return nil
        case .kakao(let token):
            let identity = try await kakao.identity(of: token)
            try await requireLink(identity, to: caller.user)
            return Erasures.Grant(provider: .kakao, subject: identity.subject, token: token, client: nil)
        case .apple(let token, let code):
            let identity = try await apple.identity(of: token, nickname: nil)
            try await requireLink(identity, to: caller.user)
            return Erasures.Grant(
                provider: .apple, subject: identity.subject, token: code, client: Apple.audience(of: token))
        case .issuer(let reply):
            try await requireLink(try await identity(of: reply, under: profile), to: caller.user)
            return nil
        }
    }

    /// The user that an issuer names. E02 for an unknown sign-in would tell the app that its own token is not valid.
    private func identity(of reply: OIDCSignIns.Reply, under profile: ClientProfile) async throws -> SocialIdentity {
        do {
            return try await issuers.proof(of: reply, under: profile)
        } catch let failure as Failure where failure.code == .invalidToken {
            throw Failure(.unknownAccount, failure.detail)
        }
    }

    private func requireLink(_ identity: SocialIdentity, to user: UserID) async throws {
        let account = try await identities.find(identity.source, subject: identity.subject)
        guard account?.id == user else {
            throw Failure(.unknownAccount, "The token belongs to another account.")
        }
    }
}
