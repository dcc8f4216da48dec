internal import Crypto
internal import HTTP
internal import Wire

extension S3Bucket {
    /// A URL that reads an object without credentials until it expires: AWS signature version 4 in the query.
    ///
    /// - Parameters:
    ///   - lifetime: whole seconds, at most seven days.
    ///   - reply: fields that the store sends with the object, such as `response-content-type`.
    func signedURL(
        of object: String, for lifetime: Duration, reply: [(name: String, value: String)] = [], at now: Timestamp
    ) -> String {
        let date = Self.date(of: now)
        let scope = "\(date.prefix(8))/\(signature.region)/\(signature.service)/aws4_request"
        let query =
            [
                (name: "X-Amz-Algorithm", value: "AWS4-HMAC-SHA256"),
                (name: "X-Amz-Credential", value: "\(signature.accessKey)/\(scope)"),
                (name: "X-Amz-Date", value: date),
                (name: "X-Amz-Expires", value: "\(lifetime.components.seconds)"),
                (name: "X-Amz-SignedHeaders", value: "host"),
            ] + reply.sorted { $0.name < $1.name }
        let text = Self.text(of: query)
        let request = "GET\n\(path(of: object))\n\(text)\nhost:\(host)\n\nhost\nUNSIGNED-PAYLOAD"
        let digest = SHA256.digest(of: Array(request.utf8).span)
        let signed = "AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(Self.hexadecimal(digest))"
        let code = Self.code(signed, key: key(on: String(date.prefix(8))))
        return "\(endpoint)\(path(of: object))?\(text)&X-Amz-Signature=\(Self.hexadecimal(code))"
    }

    /// The signing key of a day. A signature made with it reveals nothing about the secret.
    private func key(on day: String) -> [UInt8] {
        [day, signature.region, signature.service, "aws4_request"]
            .reduce(Array("AWS4\(signature.secretKey)".utf8)) { Self.code($1, key: $0) }
    }

    /// The basic form of ISO 8601, such as `20261124T093000Z`.
    private static func date(of moment: Timestamp) -> String {
        moment.description.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    private static func code(_ text: String, key: [UInt8]) -> [UInt8] {
        HMACSHA256(key: key.span).code(for: Array(text.utf8).span)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes.span) }
}
