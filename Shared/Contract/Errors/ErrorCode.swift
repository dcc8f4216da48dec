/// The code that a client receives when a call fails. The codes belong to the client contract; each has an HTTP status.
public enum ErrorCode: String, Sendable, CaseIterable {
    /// The API key is missing or unknown.
    case unknownKey = "E01"
    /// The token is not valid.
    case invalidToken = "E02"
    /// Unknown account, wrong email or password, or an unregistered invitee.
    case unknownAccount = "E03"
    /// The access token has expired or its session is revoked; the client refreshes the token.
    case expiredToken = "E05"
    /// The refresh token has expired or is revoked; the client returns to its login.
    case expiredRefresh = "E06"
    /// The sign-in needs a code of the account's authenticator app; native clients only.
    case secondFactor = "E07"
    /// The workspace requires a second factor, which the caller's account does not have; native clients only.
    case secondFactorMissing = "E08"
    /// The request is not valid.
    case invalidRequest = "E11"
    /// It exists already.
    case duplicate = "E12"
    /// The data does not exist, or the caller cannot see it.
    case notFound = "E13"
    /// The caller can see the data but may not do this.
    case notAllowed = "E14"
    /// The caller has to do something else first.
    case refused = "E15"
    /// The bot of a command cannot be reached, is too slow or gives no valid answer; native clients only.
    case botFailed = "E16"
    /// The user has too few coins.
    case notEnoughCoins = "E21"
    /// The payment does not exist or is cancelled.
    case unknownPayment = "E81"
    /// The payment differs from the order, or belongs to another user.
    case invalidPayment = "E82"
    /// The route does not exist.
    case unknownRoute = "E97"
    /// The caller has exceeded a rate limit.
    case tooManyCalls = "E98"
    /// The server has failed.
    case serverError = "E99"

    /// The HTTP status for clients that understand all statuses.
    public var status: Int {
        switch self {
        case .unknownKey, .invalidToken, .unknownAccount, .expiredToken, .expiredRefresh, .secondFactor:
            401
        case .notEnoughCoins: 402
        case .notAllowed, .secondFactorMissing: 403
        case .notFound, .unknownPayment, .unknownRoute: 404
        case .duplicate, .refused, .invalidPayment: 409
        case .invalidRequest: 422
        case .botFailed: 424
        case .tooManyCalls: 429
        case .serverError: 500
        }
    }

    /// The HTTP status for clients that understand only 400 and 500.
    public var legacyStatus: Int { self == .serverError ? 500 : 400 }
}
