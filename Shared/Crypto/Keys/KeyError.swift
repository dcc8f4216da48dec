/// Why a key is refused.
public enum KeyError: Error, Hashable {
    /// The text is not a key, or is damaged: a member is missing, a point is off the curve, a PEM is encrypted.
    case malformed
    /// The key is neither P-256 nor RSA.
    case unsupported
    /// An RSA modulus of fewer than 2,048 bits, which is not safe, or of more than 8,192, which is too expensive.
    case unacceptableSize
}
