import Contract
import Crypto
import Telemetry
import Wire

/// Hashes and verifies passwords, refuses calls while the queue is full, and counts both.
struct Passwords: Sendable {
    private let hasher: PasswordHasher
    private let made: Counter
    private let shed: Counter

    init(_ hasher: PasswordHasher, _ metrics: MetricsRegistry) {
        self.hasher = hasher
        made = metrics.counter("maru_password_hashes_total", "Passwords hashed at joins and logins.")
        shed = metrics.counter("maru_password_hashes_shed_total", "Passwords not hashed because the queue was full.")
    }

    /// Refuses a call with E98 before any other work if its password could not be queued.
    func requireHashCapacity() throws(Failure) {
        guard hasher.isFull else { return }
        shed.increment()
        throw .overloaded
    }

    /// Returns the hash to store. Keyboards write the same letters in different Unicode forms, so the text is made NFC
    /// first.
    func hash(_ password: String) async throws -> String {
        try await counted { try await hasher.hash(password.nfc) }
    }

    /// Compares a password with the stored hash; a nil hash takes the same time.
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
