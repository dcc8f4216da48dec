/// Why a password was neither hashed nor compared.
public enum PasswordHashingError: Error, Hashable {
    /// The hasher's queue is full: shed the request.
    case overloaded
    /// The stored text is not an acceptable Argon2id hash.
    case malformedHash
    /// The memory for a hash could not be allocated.
    case outOfMemory
}
