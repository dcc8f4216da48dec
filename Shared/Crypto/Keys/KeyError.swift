/// Why something is not a key for us.
public enum KeyError: Error, Hashable {
    /// It is no key, or is damaged: a member missing, a point off the curve, an encrypted PEM.
    case malformed
    /// It is of another kind than P-256 or RSA.
    case unsupported
    /// An RSA modulus of fewer than 2,048 bits, which is not safe, or of more than 8,192, which costs too much.
    case unacceptableSize
}
