public import Wire

/// A user's own account.
public struct AccountView: View {
    /// The sign-in provider of an account without a password.
    public enum Provider: String, Sendable {
        case kakao, apple
    }

    public let id: UserID
    public let email: String
    public let nickname: String
    public let profileImage: String?
    public let phone: String?
    public let provider: Provider?
    /// The user's coins; nil in replies without them.
    public var coins: Int64?
    public let createdAt: Timestamp
    /// New tokens; only in replies to join and login.
    public var tokens: TokensView?

    public init(
        id: UserID, email: String, nickname: String, profileImage: String?, phone: String?, provider: Provider?,
        coins: Int64? = nil, createdAt: Timestamp, tokens: TokensView? = nil
    ) {
        self.id = id
        self.email = email
        self.nickname = nickname
        self.profileImage = profileImage
        self.phone = phone
        self.provider = provider
        self.coins = coins
        self.createdAt = createdAt
        self.tokens = tokens
    }

    public func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("user_id", id, for: profile)
            json.field("email", email)
            json.field("nickname", nickname)
            json.field("profileImage", profileImage)
            json.field("phone", phone ?? (profile.nullPhone == .empty ? "" : nil))
            json.field(profile.generation == .january2024 ? "vendor" : "provider", provider?.rawValue)
            if let coins { json.field("sesacCoin", coins) }
            json.field("createdAt", createdAt)
            if let tokens { json.field("token", tokens, for: profile) }
        }
    }
}

/// An access token and its refresh token.
public struct TokensView: View {
    public let access: String
    public let refresh: String
    /// The token of a device that needs no second factor; only in replies to a second step.
    public let remember: String?

    public init(access: String, refresh: String, remember: String? = nil) {
        self.access = access
        self.refresh = refresh
        self.remember = remember
    }

    public func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("accessToken", access)
            json.field("refreshToken", refresh)
            if let remember { json.field("rememberToken", remember) }
        }
    }
}

extension AccountView {
    private static let members: [Schema.Member] = [
        .has("user_id", .id), .has("email", .text), .has("nickname", .text), .has("profileImage", .optional(.path)),
        .has("phone", .optional(.text)),
        .has("vendor", .optional(.choice(["kakao", "apple"]))).only(.january2024),
        .has("provider", .optional(.choice(["kakao", "apple"]))).only(.july2024, .native),
        .has("createdAt", .time),
    ]

    /// The form of `write` in the reference, in replies to changes of a profile.
    public static let entity = Schema.Entity("Account", "Your own account.", members)
    /// The form with coins.
    public static let profile = Schema.Entity(
        "Profile", "Your own account with your coins.", members + [.has("sesacCoin", .count)])
    /// The form with new tokens.
    public static let user = Schema.Entity(
        "User", "Your own account with new tokens.", members + [.has("token", .entity(TokensView.entity))])
}

extension TokensView {
    static let entity = Schema.Entity(
        "Tokens", "The tokens of a session.",
        [
            .has("accessToken", .text, "For the header `Authorization`."),
            .has("refreshToken", .text, "For `GET /v1/auth/refresh`; empty if it is in a cookie."),
            .may("rememberToken", .text, "Proves a device that needs no second factor.").only(.native),
        ])
}
