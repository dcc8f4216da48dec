/// The name of a header field, compared without regard to case.
public struct HeaderName: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it is written on the wire.
    private enum Text {
        /// A literal in the source; looking up a field by it needs no reference counting.
        case literal(StaticString)
        case other(String)
    }

    private let text: Text

    /// A name written in the source.
    public init(stringLiteral text: StaticString) {
        precondition(Token.isValid(text.description.utf8), "not a header name: \(text)")
        self.text = .literal(text)
    }

    /// A name that is known only at run time; nil if `text` is not a token.
    public init?(_ text: String) {
        guard Token.isValid(text.utf8) else { return nil }
        self.text = .other(text)
    }

    private init(known text: StaticString) { self.text = .literal(text) }

    public var description: String {
        switch text {
        case .literal(let text): text.description
        case .other(let text): text
        }
    }

    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch text {
        case .literal(let text): return text.withUTF8Buffer { body(UnsafeRawBufferPointer($0)) }
        case .other(var text): return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        }
    }

    public static let accept = HeaderName(known: "Accept")
    public static let acceptRanges = HeaderName(known: "Accept-Ranges")
    public static let allow = HeaderName(known: "Allow")
    public static let authorization = HeaderName(known: "Authorization")
    public static let cacheControl = HeaderName(known: "Cache-Control")
    public static let connection = HeaderName(known: "Connection")
    public static let contentDisposition = HeaderName(known: "Content-Disposition")
    public static let contentLength = HeaderName(known: "Content-Length")
    public static let contentRange = HeaderName(known: "Content-Range")
    public static let contentType = HeaderName(known: "Content-Type")
    public static let cookie = HeaderName(known: "Cookie")
    public static let date = HeaderName(known: "Date")
    public static let etag = HeaderName(known: "ETag")
    public static let expect = HeaderName(known: "Expect")
    public static let forwardedFor = HeaderName(known: "X-Forwarded-For")
    public static let forwardedProto = HeaderName(known: "X-Forwarded-Proto")
    /// The secret by which a service knows its API gateway.
    public static let gatewayCredential = HeaderName(known: "X-Gateway-Credential")
    public static let host = HeaderName(known: "Host")
    public static let idempotencyKey = HeaderName(known: "Idempotency-Key")
    public static let ifModifiedSince = HeaderName(known: "If-Modified-Since")
    public static let ifNoneMatch = HeaderName(known: "If-None-Match")
    public static let ifRange = HeaderName(known: "If-Range")
    public static let lastModified = HeaderName(known: "Last-Modified")
    public static let location = HeaderName(known: "Location")
    public static let origin = HeaderName(known: "Origin")
    public static let range = HeaderName(known: "Range")
    public static let refreshToken = HeaderName(known: "RefreshToken")
    public static let requestID = HeaderName(known: "X-Request-Id")
    public static let retryAfter = HeaderName(known: "Retry-After")
    public static let sesacKey = HeaderName(known: "SesacKey")
    public static let setCookie = HeaderName(known: "Set-Cookie")
    public static let requestStart = HeaderName(known: "x-request-start")
    public static let traceparent = HeaderName(known: "traceparent")
    public static let transferEncoding = HeaderName(known: "Transfer-Encoding")
    public static let upgrade = HeaderName(known: "Upgrade")
    public static let userAgent = HeaderName(known: "User-Agent")
    public static let vary = HeaderName(known: "Vary")
}
