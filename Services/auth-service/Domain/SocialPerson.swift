import Contract

/// Someone as a provider vouches for them.
struct SocialPerson: Sendable, Equatable {
    let provider: AccountView.Provider
    /// What the provider calls them, for ever.
    let subject: String
    /// Only one that the provider has verified.
    let verifiedEmail: String?
    let nickname: String?
}
