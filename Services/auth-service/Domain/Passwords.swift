import Contract
import Crypto
import Telemetry
import Wire

/// Hashes and compares passwords, sheds what is too much, and counts both.
struct Passwords: Sendable {
    private let hasher: PasswordHasher
    private let made: Counter
    private let shed: Counter

    init(_ hasher: PasswordHasher, _ metrics: MetricsRegistry) {
        self.hasher = hasher
        made = metrics.counter("maru_password_hashes_total", "Passwords hashed, to keep or to compare.")
        shed = metrics.counter("maru_password_hashes_shed_total", "Passwords not hashed because too many waited.")
    }

    /// Sheds a call before anything is done for it, where its password would find no place.
    func requireRoom() throws(Failure) {
        guard hasher.isFull else { return }
        shed.increment()
        throw .overloaded
    }

    /// What to store for a password. Keyboards write the same letters in different normal forms, so all are made one.
    func hash(_ password: String) async throws -> String {
        try await counted { try await hasher.hash(password.nfc) }
    }

    /// Compares with what is stored; nil costs the same.
    func verify(_ password: String, against stored: String?) async throws -> PasswordVerdict {
        try await counted { try await hasher.verify(password.nfc, against: stored) }
    }

    private func counted<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            made.increment()
            return result
        } catch PasswordHashingError.overloaded {
            shed.increment()
            throw Failure.overloaded
        }
    }
}
