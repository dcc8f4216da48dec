import Crypto
import Wire

/// Time-based one-time passwords (RFC 6238) of a secret that an authenticator app shares.
struct TOTP: Sendable {
    let secret: [UInt8]
    /// Authenticator apps know no other values for certain than these defaults.
    var digits = 6
    var hash = HMAC.Hash.sha1

    /// Seconds of a time step.
    private static let period: Int64 = 30
    /// A code of the step before or after is accepted, because clocks differ and people type slowly.
    private static let tolerance: Int64 = 1

    /// The number of the time step of a moment.
    static func step(at moment: Timestamp) -> Int64 { moment.seconds / period }

    /// The code of a time step.
    func code(at step: Int64) -> String {
        let counter = withUnsafeBytes(of: UInt64(step).bigEndian) { Array($0) }
        let mac = HMAC.code(for: counter.span, key: secret.span, with: hash)
        // Dynamic truncation (RFC 4226): the last four bits say where the 31 bits of the code begin.
        let start = Int(mac[mac.count - 1] & 0x0F)
        let bits = mac[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product * 10 }
        let text = String(bits % modulus)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// The time step of a code that is right at a moment; nil for a wrong one. All accepted codes are compared, in constant
    /// time.
    func step(of code: String, at moment: Timestamp) -> Int64? {
        let present = Self.step(at: moment)
        var found: Int64?
        for step in present - Self.tolerance...present + Self.tolerance where step >= 0 {
            if ConstantTime.areEqual(Array(code.utf8).span, Array(self.code(at: step).utf8).span) { found = step }
        }
        return found
    }

    /// The address that an authenticator app reads from a QR code.
    func address(of account: String, at issuer: String) -> String {
        let label = PercentEncoding.strict.encode(issuer) + ":" + PercentEncoding.strict.encode(account)
        let parameters = "secret=\(Base32.encode(secret.span))&issuer=\(PercentEncoding.strict.encode(issuer))"
        return "otpauth://totp/\(label)?\(parameters)&algorithm=SHA1&digits=\(digits)&period=\(Self.period)"
    }
}
