/// What came of comparing a password with a stored hash.
public enum PasswordVerdict: Hashable, Sendable {
    /// It is another password, or the account does not exist.
    case wrong
    /// It is the password. Where `needsRehash`, hash it anew and store that: the parameters have changed since.
    case right(needsRehash: Bool)
}
