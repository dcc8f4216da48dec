/// Why a call fails: thrown by routes and rules, made into a reply in one place.
public struct Failure: Error, Sendable, Equatable {
    /// What the client is told.
    public let code: ErrorCode
    /// A sentence that is safe to show to the client; it names no data.
    public let detail: String
    /// The status for clients that are told the truth.
    public let status: Int
    /// When the client may try again.
    public var retryAfter: Duration?

    /// A failure, with the code's own status unless another is more exact.
    public init(_ code: ErrorCode, _ detail: String, status: Int? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.detail = detail
        self.status = status ?? code.status
        self.retryAfter = retryAfter
    }
}

extension Failure {
    /// The request is not valid, in the way `detail` says.
    public static func invalid(_ detail: String) -> Failure { Failure(.invalidRequest, detail) }

    /// Something in the request is larger than its limit.
    public static func tooLarge(_ detail: String) -> Failure { Failure(.invalidRequest, detail, status: 413) }

    /// There is one already.
    public static func duplicate(_ detail: String) -> Failure { Failure(.duplicate, detail) }

    /// No such data, or not visible to the caller.
    public static let notFound = Failure(.notFound, "No such data.")

    /// Visible to the caller, who may not do this.
    public static let notAllowed = Failure(.notAllowed, "Only the owner may do this.")

    /// No route of this path and method under this key.
    public static let unknownRoute = Failure(.unknownRoute, "No such route.")

    /// More calls than the limit allows.
    public static func tooManyCalls(retryAfter: Duration) -> Failure {
        Failure(.tooManyCalls, "Too many calls.", retryAfter: retryAfter)
    }

    /// The service has more to do than it can; asked again later, it will answer.
    public static let overloaded = Failure(
        .tooManyCalls, "The service is busy.", status: 503, retryAfter: .seconds(1))

    /// Another part of the product does not answer.
    public static let unavailable = Failure(
        .serverError, "A part of the service does not answer.", status: 503, retryAfter: .seconds(1))

    /// The server's own fault.
    public static let serverError = Failure(.serverError, "The server failed.")
}
