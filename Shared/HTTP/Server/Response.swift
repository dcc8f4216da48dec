public import EventLoop

/// A reply: status, fields and one of several kinds of body.
///
/// The server adds Date, Content-Length or Transfer-Encoding and Connection itself; fields of these names in `headers`
/// are not sent. A reply to HEAD is sent without its body, but with its length.
public struct Response: Sendable {
    /// What follows the head.
    public enum Body: Sendable {
        /// Nothing.
        case none
        /// These bytes.
        case bytes([UInt8])
        /// A part of a file, sent by the kernel.
        case file(OpenFile, offset: Int, length: Int)
        /// What the closure writes: exactly `length` bytes, or as many as it likes where that is nil.
        ///
        /// The closure runs after the handler in its task; when it throws, the connection is cut off so that the client
        /// does not take the part for the whole.
        case stream(length: Int?, @Sendable (BodyWriter) async throws -> Void)
        /// 101: from the empty line on, the socket belongs to the handler that the closure makes.
        case upgrade(@Sendable (StreamSocket) -> any StreamHandler)
    }

    public var status: Status
    public var headers: Headers
    public var body: Body

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
    /// `takeOver` runs on the loop when the head is queued; what the client sent behind its request is offered to the
    /// handler that it returns.
    public static func upgrade(
        to name: StaticString, headers: Headers = Headers(),
        _ takeOver: @escaping @Sendable (StreamSocket) -> any StreamHandler
    ) -> Response {
        var response = Response(.switchingProtocols, headers: headers, body: .upgrade(takeOver))
        response.headers.append(.upgrade, name)
        return response
    }
}
