import Contract
import EventLoop
import ServiceKit
import Synchronization
import Telemetry
import Wire

/// People's coins, as payment-service tells them.
final class Coins: Sendable {
    private let payments: PaymentClient
    private let log: Log
    /// Until when payment-service is not asked, because it did not answer; monotonic nanoseconds.
    private let pausedUntil = Mutex<UInt64>(0)

    /// Nobody waits longer for coins.
    static let deadline = Duration.seconds(1)
    private static let pause: UInt64 = 1_000_000_000

    init(payments: PaymentClient, log: Log) {
        self.payments = payments
        self.log = log
    }

    /// Nothing, with a warning in the log, while payment-service does not answer: a profile is worth more than its coins.
    func balances(of users: [UserID]) async -> [UserID: Int] {
        guard pausedUntil.withLock({ $0 <= EventLoop.preciseNow }) else { return [:] }
        do {
            return try await payments.balances(of: users)
        } catch {
            pausedUntil.withLock { $0 = EventLoop.preciseNow + Self.pause }
            log.warning("no balances for profiles", ["profiles": .count(users.count), "cause": .cause(error)])
            return [:]
        }
    }
}
