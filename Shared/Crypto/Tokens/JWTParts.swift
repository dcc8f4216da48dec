internal import Wire

/// The parts of a token in the compact form of RFC 7515, not verified.
struct JWTParts {
    let header: JSONValue
    let signature: [UInt8]
    /// The signed bytes: encoded header and payload as received.
    let signedLength: Int
    private let payload: [UInt8]

    /// The deepest nesting of a token's JSON. A header is flat; claims nest a little.
    private static let headerDepth = 4
    private static let payloadDepth = 16

    init(_ token: Span<UInt8>) throws(JWTError) {
        let dots = token.indices.filter { token[$0] == UInt8(ascii: ".") }
        guard dots.count == 2 else { throw .malformed }
        guard let header = Base64.decode(token.extracting(..<dots[0]), .url),
            let payload = Base64.decode(token.extracting(dots[0] + 1..<dots[1]), .url),
            let signature = Base64.decode(token.extracting((dots[1] + 1)...), .url)
        else { throw .malformed }
        self.header = try Self.object(header, maximumDepth: Self.headerDepth)
        self.payload = payload
        self.signature = signature
        signedLength = dots[1]
    }

    /// The claims; use them only after the signature has been verified.
    func claims() throws(JWTError) -> JSONValue { try Self.object(payload, maximumDepth: Self.payloadDepth) }

    private static func object(_ bytes: [UInt8], maximumDepth: Int) throws(JWTError) -> JSONValue {
        guard let value = try? JSONValue(parsing: bytes, maximumDepth: maximumDepth), value.kind == .object else {
            throw .malformed
        }
        return value
    }
}
