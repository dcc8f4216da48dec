public import HTTP

extension ServerHandshake {
    /// `headers` as fields of HTTP.
    public var fields: Headers {
        var fields = Headers()
        for (name, value) in headers {
            if let name = HeaderName(name) { fields.append(name, value) }
        }
        return fields
    }
}
