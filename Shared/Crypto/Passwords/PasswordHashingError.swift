/// Why a password was neither hashed nor compared.
public enum PasswordHashingError: Error, Hashable {
    /// Too many wait for the hasher already: shed the request.
    case overloaded
    /// What is stored is no Argon2id hash that we accept.
    case malformedHash
    /// The memory that a hash fills could not be had.
    case outOfMemory
}
