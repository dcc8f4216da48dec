import ServiceKit
import Wire

/// Compares stored payments with their providers and the ledger with its own sums, and lists the differences.
struct Reconciliation: Sendable {
    /// The result of a run.
    struct Outcome: Sendable {
        /// The unresolved differences, oldest first.
        var differences: [DifferenceStore.Entry]
        /// The number of payments compared with their provider.
        var payments: Int
        /// Whether every provider answered. If not, differences of payments stay unresolved.
        var isComplete: Bool
    }

    let audit: AuditStore
    let store: DifferenceStore
    let schedule: ScheduleStore
    let payments: Payments
    /// Payments first seen longer ago are not compared any more.
    let window: Duration
    /// Paid payments that stay unclaimed this long are listed.
    let unclaimedAfter: Duration

    private static let page = 100
    private static let listLimit = 1000
    /// A run stops its lookups after this many consecutive failures.
    private static let failureLimit = 5
    /// How long ended attempts, orders and webhook ids are kept.
    private static let retention = Duration.seconds(30 * 86_400)

    /// Claims the scheduled run; returns false if it is not due or another instance has claimed it.
    func claimIfDue(every interval: Duration) async throws -> Bool {
        try await schedule.claim("reconciliation", every: interval)
    }

    /// Compares everything once.
    func run() async throws -> Outcome {
        let start = Timestamp.now
        let (checked, isComplete) = try await comparePayments(since: start)
        for difference in try await audit.transactionSums() + audit.balances()
            + audit.leftovers(unclaimedBefore: start - unclaimedAfter)
        {
            try await store.record(difference)
        }
        let resolvable = Difference.Kind.allCases.filter { isComplete || !$0.needsProvider }
        try await store.resolve(resolvable, notSeenSince: start)
        try await payments.attempts.delete(before: start - Self.retention)
        try await payments.orders.delete(before: start - Self.retention)
        try await payments.webhooks.delete(before: start - Self.retention)
        try await schedule.finish("reconciliation")
        return Outcome(differences: try await unresolved(), payments: checked, isComplete: isComplete)
    }

    /// Compares the ledger with its own sums and writes nothing down.
    func checkLedger() async throws -> [Difference] {
        try await audit.transactionSums() + audit.balances()
    }

    /// Returns the unresolved differences.
    func unresolved() async throws -> [DifferenceStore.Entry] {
        try await store.unresolved(limit: Self.listLimit)
    }

    /// Returns the number of unresolved differences of each kind.
    func counts() async throws -> [Difference.Kind: Int] { try await store.counts() }

    /// Compares every payment of the window with its provider. A missed cancellation is applied at once.
    private func comparePayments(since start: Timestamp) async throws -> (checked: Int, isComplete: Bool) {
        var (checked, failures, isComplete) = (0, 0, true)
        while true {
            let page = try await payments.payments.unchecked(
                since: start, notOlderThan: start - window, limit: Self.page)
            if page.isEmpty { return (checked, isComplete) }
            for record in page {
                let hasAnswered = try await compare(record)
                checked += 1
                failures = hasAnswered ? 0 : failures + 1
                if !hasAnswered { isComplete = false }
                // A provider that is down is not asked about everything; the next run continues with the rest.
                if failures == Self.failureLimit { return (checked, isComplete) }
            }
        }
    }

    /// - Returns: whether the provider answered.
    private func compare(_ record: PaymentRecord) async throws -> Bool {
        let differences: [Difference]
        switch await payments.providers.ask(about: record.report.reference, only: record.provider) {
        case .unusable:
            try await payments.payments.markChecked(record.id)
            return false
        case .unknown:
            try await payments.payments.markChecked(record.id)
            differences = PaymentComparison.differences(of: record, from: nil)
        case .payment(let report, _):
            let settled = try await payments.settle(report, of: record.provider, for: nil)
            differences = PaymentComparison.differences(of: settled.before, from: report)
        }
        for difference in differences { try await store.record(difference) }
        return true
    }
}

extension Difference.Kind {
    /// Whether the difference depends on a provider's report.
    var needsProvider: Bool {
        switch self {
        case .paymentMissing, .paymentUnpaid, .paymentAmount, .paymentCurrency, .paymentOrder, .paymentCancelled: true
        case .paymentUnclaimed, .attemptAbandoned, .transactionSum, .accountBalance, .reservedSum, .purchasedSum,
            .captureUncollected:
            false
        }
    }
}
