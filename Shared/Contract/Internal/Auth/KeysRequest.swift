public import Wire

/// Asks auth-service for the public keys of all tokens that may still be valid.
public struct KeysRequest: InternalRequest {
    public typealias Reply = KeysReply

    public static let route = InternalRoute.get("/internal/keys")

    public init() {}
    public init(reading request: InternalRequestReader) {}
    public func write(to request: inout InternalRequestWriter) {}
}

public struct KeysReply: WireMessage {
    /// A JSON Web Key Set.
    public let jwks: JSONValue

    public init(jwks: JSONValue) { self.jwks = jwks }

    public init?(_ json: JSONValue) {
        guard json["keys"]?.kind == .array else { return nil }
        jwks = json
    }

    public func write(to json: inout JSONWriter) { json.value(jwks) }

    public static func == (left: Self, right: Self) -> Bool { left.jwks.text == right.jwks.text }
}
