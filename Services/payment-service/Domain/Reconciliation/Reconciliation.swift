import Postgres
import ServiceKit
import Wire

/// Holds our records against the providers', and the ledger against its own sums; lists what does not agree.
struct Reconciliation: Sendable {
    /// What a run has found.
    struct Outcome: Sendable {
        /// What stands now, the oldest first.
        var differences: [DifferenceStore.Entry]
        /// Payments that were held against their provider's records.
        var payments: Int
        /// Whether every provider answered; if not, differences of payments stay as they were.
        var isComplete: Bool
    }

    let database: PostgresPool
    let payments: Payments
    /// Payments first seen longer ago are not asked about any more.
    let window: Duration
    /// Paid payments that nobody claims for so long are listed.
    let unclaimedAfter: Duration

    private let audit = AuditStore()
    private let store = DifferenceStore()
    private let schedule = ScheduleStore()

    private static let page = 100
    private static let listLimit = 1000
    /// So many silences of providers in a row end a run's questions.
    private static let patience = 5
    /// How long ended attempts, and ids of webhooks, are remembered.
    private static let memory = Duration.seconds(30 * 86_400)

    init(database: PostgresPool, payments: Payments, window: Duration, unclaimedAfter: Duration) {
        self.database = database
        self.payments = payments
        self.window = window
        self.unclaimedAfter = unclaimedAfter
    }

    /// Whether a scheduled run is due that no other instance has taken.
    func takeIfDue(every interval: Duration) async throws -> Bool {
        try await schedule.take("reconciliation", every: interval, in: database)
    }

    /// One run over everything.
    func run() async throws -> Outcome {
        let start = Timestamp.now
        let (checked, isComplete) = try await comparePayments(since: start)
        for difference in try await audit.transactionSums(in: database) + audit.books(in: database)
            + audit.leftovers(unclaimedBefore: start - unclaimedAfter, in: database)
        {
            try await store.record(difference, in: database)
        }
        let resolvable = Difference.Kind.allCases.filter { isComplete || !$0.isOfProviders }
        try await store.resolve(resolvable, notSeenSince: start, in: database)
        try await payments.attempts.forget(before: start - Self.memory, in: database)
        try await payments.webhooks.forget(before: start - Self.memory, in: database)
        try await schedule.finish("reconciliation", in: database)
        return Outcome(differences: try await standing(), payments: checked, isComplete: isComplete)
    }

    /// What the last runs have found and later ones have not resolved.
    func standing() async throws -> [DifferenceStore.Entry] {
        try await store.standing(limit: Self.listLimit, in: database)
    }

    /// How many differences of each kind stand.
    func counts() async throws -> [Difference.Kind: Int] { try await store.counts(in: database) }

    /// Asks the providers about every payment of the window; a cancellation that we did not know is followed at once.
    private func comparePayments(since start: Timestamp) async throws -> (checked: Int, isComplete: Bool) {
        var (checked, silences, isComplete) = (0, 0, true)
        while true {
            let page = try await payments.payments.unchecked(
                since: start, notOlderThan: start - window, limit: Self.page, in: database)
            if page.isEmpty { return (checked, isComplete) }
            for record in page {
                let hasAnswered = try await compare(record)
                checked += 1
                silences = hasAnswered ? 0 : silences + 1
                if !hasAnswered { isComplete = false }
                // A provider that is down is not asked about everything; the next run begins with what is left.
                if silences == Self.patience { return (checked, isComplete) }
            }
        }
    }

    /// - Returns: whether the provider answered.
    private func compare(_ record: PaymentRecord) async throws -> Bool {
        let differences: [Difference]
        switch await payments.providers.ask(about: record.report.reference, only: record.provider) {
        case .unusable:
            try await payments.payments.markChecked(record.id, in: database)
            return false
        case .unknown:
            try await payments.payments.markChecked(record.id, in: database)
            differences = PaymentComparison.differences(of: record, from: nil)
        case .payment(let report, _):
            let settled = try await payments.settle(report, of: record.provider, asking: nil)
            differences = PaymentComparison.differences(of: settled.before, from: report)
        }
        for difference in differences { try await store.record(difference, in: database) }
        return true
    }
}

extension Difference.Kind {
    /// Whether only a provider's answer can tell.
    var isOfProviders: Bool {
        switch self {
        case .paymentMissing, .paymentUnpaid, .paymentAmount, .paymentCurrency, .paymentOrder, .paymentCancelled: true
        case .paymentUnclaimed, .attemptAbandoned, .transactionSum, .bookBalance, .reservedSum, .purchasedSum,
            .captureUncollected:
            false
        }
    }
}
