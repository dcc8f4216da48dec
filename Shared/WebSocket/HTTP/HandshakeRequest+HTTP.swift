public import HTTP

extension HandshakeRequest {
    /// Takes the handshake's fields from an HTTP request.
    public init(_ request: Request) {
        self.init(method: request.method.rawValue) { name in
            guard let name = HeaderName(name) else { return [] }
            return request.headers.all(name).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension HandshakeRefusal {
    /// The reply, with the reason as plain text.
    public var response: Response {
        var response = Response(Status(UInt16(status)), type: "text/plain", Array(reason.utf8))
        for (name, value) in headers {
            if let name = HeaderName(name) { response.headers.append(name, value) }
        }
        return response
    }
}
