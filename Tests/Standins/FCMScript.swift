import HTTP
import Wire

/// A failure or delay that FCM is to show: `POST /fcm/script {token?, status, errorCode?, retryAfter?, times,
/// delayMs?}`.
struct FCMScript: Sendable {
    /// The device that it applies to; nil for all.
    let token: String?
    let status: UInt16
    let errorCode: String?
    /// Seconds.
    let retryAfter: Int?
    /// The number of calls that it still applies to.
    var times: Int
    let delay: Duration

    private static let longestDelay = 120_000

    init?(_ json: JSONValue) {
        guard let status = json["status"]?.int, (200...599).contains(status), let times = json["times"]?.int,
            case let delay = json["delayMs"]?.int ?? 0, (0...Self.longestDelay).contains(delay)
        else { return nil }
        token = json["token"]?.string
        self.status = UInt16(status)
        errorCode = json["errorCode"]?.string
        retryAfter = json["retryAfter"]?.int
        self.times = times
        self.delay = .milliseconds(delay)
    }

    /// The error reply in Google's format; nil if the push is to succeed.
    var response: Response? {
        guard status >= 300 else { return nil }
        var response = Self.error(status, Self.canonical[status] ?? "UNKNOWN", code: errorCode)
        if let retryAfter { response.headers.append(.retryAfter, retryAfter) }
        return response
    }

    static func error(_ status: UInt16, _ name: String, code: String? = nil) -> Response {
        .standin(Status(status)) { json in
            json.object("error") { json in
                json.field("code", Int(status))
                json.field("message", "The stand-in fails.")
                json.field("status", name)
                guard let code else { return }
                json.array("details") { json in
                    json.object { json in
                        json.field("@type", "type.googleapis.com/google.firebase.fcm.v1.FcmError")
                        json.field("errorCode", code)
                    }
                }
            }
        }
    }

    private static let canonical: [UInt16: String] = [
        400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
        429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
    ]
}
