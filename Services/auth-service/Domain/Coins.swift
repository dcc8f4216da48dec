import Contract
import EventLoop
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// Reads users' coin balances from payment-service.
final class Coins: Sendable {
    private let payments: PaymentClient
    private let log: Log
    /// The end of the pause that follows a failed call, in monotonic nanoseconds.
    private let pausedUntil = Mutex<UInt64>(0)

    /// The deadline of a call to payment-service.
    static let deadline = Duration.seconds(1)
    private static let pause: UInt64 = 1_000_000_000

    init(payments: PaymentClient, log: Log) {
        self.payments = payments
        self.log = log
    }

    /// Returns no balances and logs a warning while payment-service does not answer: a profile without coins is better
    /// than an error.
    func balances(of users: [UserID]) async -> [UserID: Int] {
        guard pausedUntil.withLock({ $0 <= EventLoop.preciseNow }) else { return [:] }
        do {
            return try await payments.balances(of: users)
        } catch {
            pausedUntil.withLock { $0 = EventLoop.preciseNow + Self.pause }
            log.warning(
                "profiles are sent without coins: payment-service does not answer",
                ["profiles": .count(users.count), "cause": .cause(error)])
            return [:]
        }
    }
}
