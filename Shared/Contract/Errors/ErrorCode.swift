/// What a client is told when a call fails. The codes are the contract's; each has a true HTTP status beside it.
public enum ErrorCode: String, Sendable, CaseIterable {
    /// The API key is missing or unknown.
    case unknownKey = "E01"
    /// The token is not valid.
    case invalidToken = "E02"
    /// Unknown account, wrong email or password, or an invitee who is not registered.
    case unknownAccount = "E03"
    /// The access token has expired or its session is revoked: the client refreshes.
    case expiredToken = "E05"
    /// The refresh token has expired or is revoked: the client returns to login.
    case expiredRefresh = "E06"
    /// The request is not valid.
    case invalidRequest = "E11"
    /// There is one already.
    case duplicate = "E12"
    /// No such data, or not visible to the caller.
    case notFound = "E13"
    /// Visible, but not allowed.
    case notAllowed = "E14"
    /// Refused until something else is done first.
    case refused = "E15"
    /// Not enough coins.
    case notEnoughCoins = "E21"
    /// No such payment, or it is cancelled.
    case unknownPayment = "E81"
    /// The payment differs from the order, or belongs to someone else.
    case invalidPayment = "E82"
    /// No such route.
    case unknownRoute = "E97"
    /// Too many calls.
    case tooManyCalls = "E98"
    /// The server's own fault.
    case serverError = "E99"

    /// The HTTP status for clients that are told the truth.
    public var status: Int {
        switch self {
        case .unknownKey, .invalidToken, .unknownAccount, .expiredToken, .expiredRefresh: 401
        case .notEnoughCoins: 402
        case .notAllowed: 403
        case .notFound, .unknownPayment, .unknownRoute: 404
        case .duplicate, .refused, .invalidPayment: 409
        case .invalidRequest: 422
        case .tooManyCalls: 429
        case .serverError: 500
        }
    }

    /// The HTTP status for clients that know 400 and 500 only.
    public var legacyStatus: Int { self == .serverError ? 500 : 400 }
}
