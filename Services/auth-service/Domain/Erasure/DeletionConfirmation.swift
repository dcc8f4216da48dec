import Contract
import ServiceKit
import Wire

/// Checks that the caller of a deletion is the owner: by the password, or by a fresh token of a linked provider.
struct DeletionConfirmation: Sendable {
    let credentials: Credentials
    let identities: IdentityStore
    let kakao: Kakao
    let apple: Apple

    enum Proof: Sendable {
        case password(String)
        case kakao(String)
        /// Apple's authorization code, if the app has one, lets us revoke the grant.
        case apple(String, code: String?)
    }

    /// Returns the grant that a provider's token can revoke; nil for a password.
    func confirm(_ caller: Caller, from address: String, by proof: Proof) async throws -> Erasures.Grant? {
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
        }
    }

    private func requireLink(_ identity: SocialIdentity, to user: UserID) async throws {
        let account = try await identities.find(identity.source, subject: identity.subject)
        guard account?.id == user else {
            throw Failure(.unknownAccount, "The token belongs to another account.")
        }
    }
}
