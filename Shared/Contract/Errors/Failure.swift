/// The reason why a call fails. Routes and rules throw it, and one place turns it into a reply.
public struct Failure: Error, Sendable, Equatable {
    /// The code that the client receives.
    public let code: ErrorCode
    /// A sentence for the client. It names no data of other users.
    public let detail: String
    /// The HTTP status for clients that understand all statuses.
    public let status: Int
    /// The time until the client may retry.
    public var retryAfter: Duration?

    /// A failure with the status of its code, or a more exact one.
    public init(_ code: ErrorCode, _ detail: String, status: Int? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.detail = detail
        self.status = status ?? code.status
        self.retryAfter = retryAfter
    }
}

extension Failure {
    /// The failure with a code that clients of the profile know. The shipped apps can set up no second factor, so they learn
    /// that they may not do this.
    public func known(to profile: ClientProfile) -> Failure {
        guard code == .secondFactorMissing, !profile.isNative else { return self }
        return Failure(.notAllowed, detail, retryAfter: retryAfter)
    }

    /// The request is not valid; `detail` says why.
    public static func invalid(_ detail: String) -> Failure { Failure(.invalidRequest, detail) }

    /// A part of the request is larger than its limit.
    public static func tooLarge(_ detail: String) -> Failure { Failure(.invalidRequest, detail, status: 413) }

    /// It exists already.
    public static func duplicate(_ detail: String) -> Failure { Failure(.duplicate, detail) }

    /// The data does not exist, or the caller cannot see it.
    public static let notFound = Failure(.notFound, "No such data.")

    /// The caller can see the data but may not do this.
    public static let notAllowed = Failure(.notAllowed, "Your role does not allow this.")

    /// The caller is locked out of a workspace that requires a second factor.
    public static let secondFactorMissing = Failure(
        .secondFactorMissing, "This workspace requires a second factor. Set one up to get in.")

    /// The API key has no route with this method and path.
    public static let unknownRoute = Failure(.unknownRoute, "No such route.")

    /// The caller has exceeded a rate limit.
    public static func tooManyCalls(retryAfter: Duration) -> Failure {
        Failure(.tooManyCalls, "Too many calls.", retryAfter: retryAfter)
    }

    /// The service is overloaded; a later retry can succeed.
    public static let overloaded = Failure(
        .tooManyCalls, "The service is busy.", status: 503, retryAfter: .seconds(1))

    /// Another service does not answer.
    public static let unavailable = Failure(
        .serverError, "A part of the service does not answer.", status: 503, retryAfter: .seconds(1))

    /// The server has failed.
    public static let serverError = Failure(.serverError, "The server failed.")
}
