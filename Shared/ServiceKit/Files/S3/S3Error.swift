public import Telemetry

/// The object store refused a request, or its reply cannot be used.
public struct S3Error: Error, LoggableError {
    /// Such as `PUT`.
    let operation: String
    /// The status of the reply.
    let status: Int
    /// The store's own code, such as `NoSuchBucket`; empty if it sent none.
    let code: String

    /// Whether the store was busy or failed, so that a later attempt can succeed.
    var isPassing: Bool { status == 429 || status >= 500 || Self.passing.contains(code) }

    /// The codes of such failures. The completion of an upload can have them with the status 200.
    private static let passing: Set<String> = ["InternalError", "ServiceUnavailable", "SlowDown"]

    public var logText: String { "s3: \(operation) answered \(status) \(code)" }
}
