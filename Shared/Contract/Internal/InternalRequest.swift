public import HTTP
public import Wire

/// A call of another service's internal API: its method and path, its parameters and the type of its reply in one
/// place.
///
/// The client writes it with `write(to:)` and the service reads it with `init(reading:)`.
public protocol InternalRequest: Sendable, Equatable {
    associatedtype Reply: WireMessage

    static var route: InternalRoute { get }

    /// Bytes of a reply at most; 8 MiB by default.
    static var largestReply: Int { get }

    /// Whether the call does what a client has asked for, so that the client is told if the other service is overloaded. Otherwise an
    /// overloaded service is one that does not answer. False by default.
    static var isForClient: Bool { get }

    /// Fills in the path parameters, in their order, then the query and the body.
    func write(to request: inout InternalRequestWriter)

    /// - Throws: `Failure.notFound` if a path parameter is malformed, `Failure.invalid` if another parameter is missing
    ///   or malformed.
    init(reading request: InternalRequestReader) throws(Failure)
}

extension InternalRequest {
    public static var largestReply: Int { 8 * 1024 * 1024 }
    public static var isForClient: Bool { false }
}

/// The method and path of an internal call, and whether a failed call may be sent again.
public struct InternalRoute: Sendable, Equatable {
    public let method: Method
    /// The path with names of parameters in braces, such as `/internal/rooms/{room}/messages`.
    public let template: String
    /// Whether the call has the same outcome however often it is sent.
    public let isIdempotent: Bool

    /// A read with all its parameters in the path and the query.
    public static func get(_ template: String) -> InternalRoute {
        InternalRoute(method: .get, template: template, isIdempotent: true)
    }

    /// A read with many ids, or a write that may be repeated.
    public static func idempotentPost(_ template: String) -> InternalRoute {
        InternalRoute(method: .post, template: template, isIdempotent: true)
    }

    /// A write that only the caller may repeat.
    public static func post(_ template: String) -> InternalRoute {
        InternalRoute(method: .post, template: template, isIdempotent: false)
    }
}

/// The reply of a call that has nothing to report: `{}`.
public struct EmptyReply: WireMessage {
    public init() {}
    public init?(_ json: JSONValue) {}
    public func write(to json: inout JSONWriter) { json.object { _ in } }
}
