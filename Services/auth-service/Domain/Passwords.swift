import Contract
import Crypto
import Synchronization
import Telemetry
import Wire

/// Hashes and verifies passwords on a bounded queue, refuses calls while their share of it is full, and counts both.
///
/// Joins and logins from unknown addresses have a share of the queue each, so that a flood of them leaves capacity for
/// the logins of known pairs of account and address.
final class Passwords: Sendable {
    /// The callers that have a share of the queue each.
    enum Caller: Sendable {
        case join
        /// A login from an address that the account's owner has not logged in from.
        case unknownPair
        /// A login from an address that the account's owner has logged in from.
        case knownPair
    }

    /// The size of the queue and its shares.
    struct Limits: Sendable {
        let threads: Int
        /// The most passwords that wait for a thread.
        let queue: Int
        /// The percentages of threads and queue that joins, and logins of unknown pairs, may occupy.
        let joinShare, loginShare: Int

        func most(of caller: Caller) -> Int {
            switch caller {
            case .join: max(1, (threads + queue) * joinShare / 100)
            case .unknownPair: max(1, (threads + queue) * loginShare / 100)
            case .knownPair: threads + queue
            }
        }
    }

    private struct InFlight {
        var joins = 0
        var unknownPairs = 0

        subscript(caller: Caller) -> Int {
            get {
                switch caller {
                case .join: joins
                case .unknownPair: unknownPairs
                case .knownPair: 0
                }
            }
            set {
                switch caller {
                case .join: joins = newValue
                case .unknownPair: unknownPairs = newValue
                case .knownPair: break
                }
            }
        }
    }

    private let hasher: PasswordHasher
    private let limits: Limits
    private let inFlight = Mutex(InFlight())
    private let made: Counter
    private let shed: Counter

    init(_ limits: Limits, _ metrics: MetricsRegistry) {
        hasher = PasswordHasher(threads: limits.threads, queueLimit: limits.queue)
        self.limits = limits
        made = metrics.counter("maru_password_hashes_total", "Passwords hashed at joins and logins.")
        shed = metrics.counter("maru_password_hashes_shed_total", "Passwords not hashed because the queue was full.")
    }

    /// Refuses a call with E98 before any other work if its password could not be queued.
    func requireCapacity(for caller: Caller) throws(Failure) {
        guard hasher.isFull || inFlight.withLock({ $0[caller] >= limits.most(of: caller) }) else { return }
        shed.increment()
        throw .overloaded
    }

    /// Returns the hash to store. Keyboards write the same letters in different Unicode forms, so the text is made NFC
    /// first.
    func hash(_ password: String, for caller: Caller) async throws -> String {
        try await counted(caller) { try await hasher.hash(password.nfc) }
    }

    /// Compares a password with the stored hash; a nil hash takes the same time.
    func verify(_ password: String, against stored: String?, for caller: Caller) async throws -> PasswordVerdict {
        try await counted(caller) { try await hasher.verify(password.nfc, against: stored) }
    }

    private func counted<Result>(_ caller: Caller, _ body: () async throws -> Result) async throws -> Result {
        let isAdmitted = inFlight.withLock { inFlight in
            guard inFlight[caller] < limits.most(of: caller) else { return false }
            inFlight[caller] += 1
            return true
        }
        guard isAdmitted else {
            shed.increment()
            throw Failure.overloaded
        }
        defer { inFlight.withLock { $0[caller] -= 1 } }
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
