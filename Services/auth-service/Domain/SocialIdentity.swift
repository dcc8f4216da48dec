/// A provider that signs users in.
enum SocialProvider: String, Sendable {
    case kakao, apple
}

/// A user as a provider has identified them.
struct SocialIdentity: Sendable, Equatable {
    let provider: SocialProvider
    /// The provider's permanent id for the user.
    let subject: String
    /// Nil unless the provider has verified the address.
    let verifiedEmail: String?
    let nickname: String?
}

extension SocialIdentity {
    /// The verified address, if accounts may be linked by it.
    var linkableEmail: EmailAddress? {
        verifiedEmail.flatMap { try? EmailAddress($0) }.flatMap { $0.isLinkable ? $0 : nil }
    }

    var withoutEmail: SocialIdentity {
        SocialIdentity(provider: provider, subject: subject, verifiedEmail: nil, nickname: nickname)
    }
}
