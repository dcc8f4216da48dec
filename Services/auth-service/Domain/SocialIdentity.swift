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
