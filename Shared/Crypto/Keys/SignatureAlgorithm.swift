/// The signature algorithm of a key. A key has exactly one, and a token cannot choose another.
public enum SignatureAlgorithm: String, Sendable {
    /// ECDSA over P-256 with SHA-256; signatures are r‖s, 64 bytes.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256; signatures are as long as the modulus.
    case rs256 = "RS256"
}
