import Crypto
import Wire

/// Computes secrets of authenticator apps, and digests of recovery codes, with a key that only the service has. The tables
/// alone reveal neither.
struct SecondFactorSecrets: Sendable {
    private let key: HMACSHA256

    private static let secretLength = 20

    /// - Parameter text: the setting `second_factor_key`, or the secret of the services.
    init(key text: String) {
        let derived = HMACSHA256(key: Array(text.utf8).span).code(for: Array("second factors 1".utf8).span)
        key = HMACSHA256(key: derived.span)
    }

    /// The one-time passwords of an account.
    ///
    /// - Parameter seed: the random bytes in its row.
    func passwords(of account: UserID, seed: [UInt8]) -> TOTP {
        let code = key.code(for: (Array("secret\n\(account)\n".utf8) + seed).span)
        return TOTP(secret: Array(code.prefix(Self.secretLength)))
    }

    /// The stored form of a recovery code.
    func digest(of code: RecoveryCode, of account: UserID) -> [UInt8] {
        key.code(for: Array("recovery\n\(account)\n\(code.text)".utf8).span)
    }
}

/// A code that replaces the authenticator app once: ten characters in Base32, 50 random bits.
struct RecoveryCode: Sendable, Equatable {
    /// Without the hyphen that people see.
    let text: String

    static let count = 10
    private static let length = 10

    /// A fresh code.
    init() { text = String(Base32.encode(SecureRandom.bytes(7).span).prefix(Self.length)) }

    /// Reads a typed text; nil if it cannot be a code.
    init?(_ typed: String) {
        let text = typed.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard text.count == Self.length else { return nil }
        self.text = text
    }

    /// As people see it: `ABCDE-FGHIJ`.
    var shown: String { "\(text.prefix(5))-\(text.suffix(5))" }
}
