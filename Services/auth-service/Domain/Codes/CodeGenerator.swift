import Crypto
import Wire

/// Computes codes from random seeds with a key that only the services have.
///
/// A code is six digits, so a stored hash of it could be reversed by trying all of them. Without the key it cannot.
struct CodeGenerator: Sendable {
    private let key: HMACSHA256

    private static let digits = 6

    /// - Parameter credential: the secret of the services; the key is derived from it.
    init(credential: String) {
        let derived = HMACSHA256(key: Array(credential.utf8).span).code(for: Array("mail codes 1".utf8).span)
        key = HMACSHA256(key: derived.span)
    }

    /// Returns the digits for a seed. The purpose, the address and the account are part of the hash, so that a code
    /// fits no other use.
    func code(of seed: CodeSeed) -> String {
        let text = "\(seed.purpose.rawValue)\n\(seed.address)\n\(seed.account?.description ?? "")\n"
        let hash = key.code(for: (Array(text.utf8) + seed.bytes).span)
        let number = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let code = String(number % 1_000_000)
        return String(repeating: "0", count: Self.digits - code.count) + code
    }

    /// Whether a client's text is the code, compared in constant time.
    func isCode(_ text: String, of seed: CodeSeed) -> Bool {
        ConstantTime.areEqual(Array(text.utf8).span, Array(code(of: seed).utf8).span)
    }
}

/// The values that a code is computed from.
struct CodeSeed: Sendable, Equatable {
    let purpose: CodePurpose
    /// The key of the address.
    let address: String
    /// Nil for a reset.
    let account: UserID?
    /// Random.
    let bytes: [UInt8]

    /// A fresh seed.
    init(_ purpose: CodePurpose, address: String, account: UserID?) {
        self.init(purpose, address: address, account: account, bytes: SecureRandom.bytes(32))
    }

    init(_ purpose: CodePurpose, address: String, account: UserID?, bytes: [UInt8]) {
        self.purpose = purpose
        self.address = address
        self.account = account
        self.bytes = bytes
    }
}
