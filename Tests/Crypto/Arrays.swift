import Crypto
import Wire

// The macros of Swift Testing do not accept spans, so tests call with arrays and strings.

extension SHA256 {
    static func digest(of bytes: [UInt8]) -> [UInt8] { digest(of: bytes.span) }
}

extension HMACSHA256 {
    init(key: [UInt8]) { self.init(key: key.span) }

    func code(for message: [UInt8]) -> [UInt8] { code(for: message.span) }

    func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool { isValid(code.span, for: message.span) }
}

extension ConstantTime {
    static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool { areEqual(first.span, second.span) }
}

extension SigningKey {
    func signature(for message: [UInt8]) -> [UInt8] { signature(for: message.span) }
}

extension VerificationKey {
    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool { isValid(signature.span, for: message.span) }
}

extension JWTVerifier {
    func verify(_ token: [UInt8], now: Timestamp) throws(JWTError) -> JSONValue { try verify(token.span, now: now) }

    func verify(_ token: String, now: Timestamp) throws(JWTError) -> JSONValue {
        try verify(token.utf8.span, now: now)
    }
}

/// The bytes of a string of hexadecimal digits.
func bytes(_ hexadecimal: String) -> [UInt8] {
    stride(from: 0, to: hexadecimal.count, by: 2).map { offset in
        UInt8(hexadecimal.dropFirst(offset).prefix(2), radix: 16)!
    }
}
