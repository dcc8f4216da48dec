internal import Wire

/// A token in the compact form of RFC 7515, taken apart but not believed.
struct JWTParts {
    let header: JSONValue
    let signature: [UInt8]
    /// The bytes that the signature covers: encoded header and payload as they stand.
    let signedLength: Int
    private let payload: [UInt8]

    /// A header is flat; claims nest a little.
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

    /// To be read once the signature has been found right.
    func claims() throws(JWTError) -> JSONValue { try Self.object(payload, maximumDepth: Self.payloadDepth) }

    private static func object(_ bytes: [UInt8], maximumDepth: Int) throws(JWTError) -> JSONValue {
        guard let value = try? JSONValue(parsing: bytes, maximumDepth: maximumDepth), value.kind == .object else {
            throw .malformed
        }
        return value
    }
}
