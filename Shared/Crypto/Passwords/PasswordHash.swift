internal import CArgon2
internal import Wire

/// A stored password: parameters, salt and Argon2id digest, written as `$argon2id$v=19$m=19456,t=2,p=1$salt$digest`.
struct PasswordHash: Sendable {
    let parameters: Argon2Parameters
    let salt: [UInt8]
    let digest: [UInt8]

    private static let saltLength = 16
    private static let digestLength = 32
    private static let acceptedSaltLengths = 8...64
    private static let acceptedDigestLengths = 16...64

    /// Hashes `password` with a fresh salt; blocks its thread for the whole cost.
    init(of password: [UInt8], parameters: Argon2Parameters) throws(PasswordHashingError) {
        self.parameters = parameters
        salt = SecureRandom.bytes(Self.saltLength)
        digest = try Self.digest(of: password, salt: salt, parameters: parameters, length: Self.digestLength)
    }

    /// A hash that no password matches, so that an unknown account costs as much as a known one.
    init(matchingNothing parameters: Argon2Parameters) {
        self.parameters = parameters
        salt = SecureRandom.bytes(Self.saltLength)
        digest = SecureRandom.bytes(Self.digestLength)
    }

    /// Parses a stored hash; nil if it is not Argon2id, or if its cost is beyond the limits.
    init?(parsing text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19",
            let parameters = Argon2Parameters(parsing: parts[3]),
            let salt = Base64.decode(parts[4].utf8.span, .standardUnpadded),
            let digest = Base64.decode(parts[5].utf8.span, .standardUnpadded),
            Self.acceptedSaltLengths.contains(salt.count), Self.acceptedDigestLengths.contains(digest.count)
        else { return nil }
        self.parameters = parameters
        self.salt = salt
        self.digest = digest
    }

    /// The text to store.
    var text: String {
        let salt = Base64.encode(salt.span, .standardUnpadded)
        let digest = Base64.encode(digest.span, .standardUnpadded)
        return "$argon2id$v=19$\(parameters.text)$\(salt)$\(digest)"
    }

    /// Hashes `password` with this hash's parameters and salt, and compares in constant time; blocks its thread.
    func matches(_ password: [UInt8]) throws(PasswordHashingError) -> Bool {
        let other = try Self.digest(of: password, salt: salt, parameters: parameters, length: digest.count)
        return ConstantTime.areEqual(other.span, digest.span)
    }

    private static func digest(
        of password: [UInt8], salt: [UInt8], parameters: Argon2Parameters, length: Int
    ) throws(PasswordHashingError) -> [UInt8] {
        var code: Int32 = 0
        let digest = [UInt8](unsafeUninitializedCapacity: length) { buffer, written in
            code = cargon2_id(
                UInt32(parameters.memory), UInt32(parameters.iterations), UInt32(parameters.parallelism),
                password, UInt32(password.count), salt, UInt32(salt.count), buffer.baseAddress, UInt32(length))
            written = length
        }
        // Parameters and lengths have been validated, so the only possible failure is missing memory.
        guard code == ARGON2_OK.rawValue else { throw .outOfMemory }
        return digest
    }
}

extension Argon2Parameters {
    var text: String { "m=\(memory),t=\(iterations),p=\(parallelism)" }

    fileprivate init?(parsing text: Substring) {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 3, let memory = Self.number(fields[0], after: "m="),
            let iterations = Self.number(fields[1], after: "t="), let parallelism = Self.number(fields[2], after: "p=")
        else { return nil }
        self.init(storedMemory: memory, iterations: iterations, parallelism: parallelism)
    }

    private static func number(_ field: Substring, after name: String) -> Int? {
        field.hasPrefix(name) ? Int(field.dropFirst(name.count)) : nil
    }
}
