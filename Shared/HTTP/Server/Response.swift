public import EventLoop

/// A reply: status, fields and one of several kinds of body.
///
/// The server itself adds Date, Connection, and Content-Length or Transfer-Encoding; such fields in `headers` are not
/// sent. A reply to HEAD is sent without its body, but with its length.
public struct Response: Sendable {
    /// The body of a reply.
    public enum Body: Sendable {
        /// No body.
        case none
        /// These bytes.
        case bytes([UInt8])
        /// A part of a file, sent by the kernel.
        case file(OpenFile, offset: Int, length: Int)
        /// The bytes that the closure writes: exactly `length` bytes, or any number if that is nil.
        ///
        /// The closure runs after the handler, in its task. If it throws, the connection is closed, so that the client
        /// does not mistake a part for the whole.
        case stream(length: Int?, @Sendable (BodyWriter) async throws -> Void)
        /// 101: after the empty line, the socket belongs to the handler that the closure returns.
        case upgrade(@Sendable (StreamSocket) -> any StreamHandler)
    }

    public var status: Status
    public var headers: Headers
    public var body: Body
    /// Pays for the bytes of the reply while they wait for a slow client; nil if no account does.
    public var account: (any ReplyAccount)?

    /// A reply without a body unless one is given.
    public init(_ status: Status = .ok, headers: Headers = Headers(), body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A reply of bytes of a media type.
    public init(_ status: Status = .ok, type: StaticString, _ bytes: [UInt8]) {
        self.init(status, body: .bytes(bytes))
        headers.append(.contentType, type)
    }

    /// A JSON text.
    public static func json(_ bytes: [UInt8], _ status: Status = .ok) -> Response {
        Response(status, headers: Headers(line: "Content-Type: application/json\r\n"), body: .bytes(bytes))
    }

    /// Hands the connection's socket over to another protocol: 101 with `Upgrade: name`.
    ///
    /// `takeOver` runs on the loop when the head is queued. Bytes that the client sent after its request are offered to
    /// the handler that it returns.
    public static func upgrade(
        to name: StaticString, headers: Headers = Headers(),
        _ takeOver: @escaping @Sendable (StreamSocket) -> any StreamHandler
    ) -> Response {
        var response = Response(.switchingProtocols, headers: headers, body: .upgrade(takeOver))
        response.headers.append(.upgrade, name)
        return response
    }
}
