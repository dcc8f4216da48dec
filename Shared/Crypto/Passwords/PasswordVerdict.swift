/// The result of comparing a password with a stored hash.
public enum PasswordVerdict: Hashable, Sendable {
    /// The password is different, or the account does not exist.
    case wrong
    /// The password is the same. If `needsRehash`, the parameters have changed: hash it again and store the new hash.
    case right(needsRehash: Bool)
}
