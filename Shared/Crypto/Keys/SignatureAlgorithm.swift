/// How a key signs; a key knows one way only, and no token can make it use another.
public enum SignatureAlgorithm: String, Sendable {
    /// ECDSA over P-256 with SHA-256; signatures are r‖s, 64 bytes.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256; signatures are as long as the modulus.
    case rs256 = "RS256"
}
