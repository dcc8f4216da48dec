/// A provider that signs users in.
enum SocialProvider: String, Sendable {
    case kakao, apple
}

/// A server that vouches for users: a provider, or an OpenID Connect issuer by its address.
enum IdentitySource: Sendable, Equatable {
    case provider(SocialProvider)
    case issuer(String)

    /// Unique among sources of its kind.
    var name: String {
        switch self {
        case .provider(let provider): provider.rawValue
        case .issuer(let address): address
        }
    }

    var isIssuer: Bool {
        switch self {
        case .provider: false
        case .issuer: true
        }
    }

    /// The provider that clients are told; they know no issuers.
    var provider: SocialProvider? {
        switch self {
        case .provider(let provider): provider
        case .issuer: nil
        }
    }
}

/// A user as a provider or issuer has identified them.
struct SocialIdentity: Sendable, Equatable {
    let source: IdentitySource
    /// The permanent id for the user.
    let subject: String
    /// Nil unless the address is verified.
    let verifiedEmail: String?
    let nickname: String?
}

extension SocialIdentity {
    /// The verified address, if accounts may be linked by it.
    var linkableEmail: EmailAddress? {
        verifiedEmail.flatMap { try? EmailAddress($0) }.flatMap { $0.isLinkable ? $0 : nil }
    }

    var withoutEmail: SocialIdentity {
        SocialIdentity(source: source, subject: subject, verifiedEmail: nil, nickname: nickname)
    }
}
