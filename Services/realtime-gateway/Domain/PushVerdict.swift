import HTTP
import Wire

/// The outcome of a push by the provider's answer.
enum PushVerdict: Sendable, Equatable {
    /// The provider has taken it.
    case sent
    /// The device token is dead.
    case deadToken
    /// The device belongs to another project than our key file.
    case otherProject
    /// Retry, but not before this time has passed.
    case later(atLeast: Duration)
    /// Our access token has expired.
    case unauthorized
    /// A retry would not help.
    case hopeless

    private static let afterQuota = Duration.seconds(60)
    private static let afterFailure = Duration.seconds(1)

    /// Reads an answer of FCM. Its body may be anything, a page of a proxy included.
    init(status: Status, retryAfter: Duration?, body: [UInt8]) {
        if status.code == 200 {
            self = .sent
            return
        }
        let error = (try? JSONValue(parsing: body))?["error"]
        let details = error?["details"]?.elements.map(Array.init) ?? []
        let code = details.lazy.compactMap { $0["errorCode"]?.string }.first
        switch (code, status.code) {
        case ("UNREGISTERED", _): self = .deadToken
        case ("SENDER_ID_MISMATCH", _): self = .otherProject
        case ("INVALID_ARGUMENT", _): self = error.map(Self.isAboutToken) == true ? .deadToken : .hopeless
        case ("QUOTA_EXCEEDED", _), (_, 429): self = .later(atLeast: retryAfter ?? Self.afterQuota)
        case ("UNAVAILABLE", _), ("INTERNAL", _), (_, 500...599):
            self = .later(atLeast: retryAfter ?? Self.afterFailure)
        case ("THIRD_PARTY_AUTH_ERROR", _): self = .hopeless
        case (nil, 401): self = .unauthorized
        default: self = .hopeless
        }
    }

    /// A message that is not valid is our fault, unless the provider says that it is the token that is not.
    private static func isAboutToken(_ error: JSONValue) -> Bool {
        let details = error["details"]?.elements.map(Array.init) ?? []
        let fields = details.flatMap { $0["fieldViolations"]?.elements.map(Array.init) ?? [] }
        if fields.isEmpty { return error["message"]?.string?.contains("registration token") == true }
        return fields.contains { $0["field"]?.string == "message.token" }
    }
}
