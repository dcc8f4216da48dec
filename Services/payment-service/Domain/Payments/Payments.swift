import Contract
import Postgres
import ServiceKit
import Wire

/// Payments from the first mention to the last refund. Client calls, webhooks and reconciliation all end in `settle`, which
/// holds the payment's lock: in whatever order they come, a payment is credited once.
struct Payments: Sendable {
    let database: PostgresPool
    let ledger: Ledger
    let providers: PaymentProviders
    let catalogue: Catalogue
    /// How long a provider that gives no answer is asked again.
    let attemptLifetime: Duration

    let payments = PaymentStore()
    let attempts = AttemptStore()
    let webhooks = WebhookStore()

    /// So long a call has for itself before ``Sweeping`` takes its attempt up.
    static let grace = Duration.seconds(30)
    /// Attempts of one user that may be open.
    static let attemptsPerUser = 20
    /// Attempts by webhooks that may be open: an unsigned webhook costs its sender nothing.
    static let attemptsOfWebhooks = 10_000

    /// Credits the payment to who claims it.
    ///
    /// - Returns: the payment as it is recorded then, the same for each repetition.
    /// - Throws: ``PaymentVerdict/Refusal``; ``ProviderFault`` where a provider gives no answer, which has left an attempt that
    ///   is taken up later.
    func validate(_ reference: String, _ claim: PaymentAttempt.Claim) async throws -> PaymentRecord {
        if let record = try await payments.find(reference, of: providers.names, in: database), record.credit != nil {
            var settlement = Settlement(of: record)
            _ = try settlement.credit(claim, from: catalogue, at: .now).get()
            return record
        }
        _ = try providers.candidates(for: reference)
        let attempt = try await record(reference, of: nil, claim, in: database)
        switch await providers.ask(about: reference) {
        case .unusable(let fault):
            try await attempts.postpone(attempt.id, until: .now + attempt.pause, in: database)
            throw fault
        case .unknown:
            try await attempts.end(attempt.id, outcome: "unknown", in: database)
            throw PaymentVerdict.Refusal.unknown
        case .payment(let report, let provider):
            let settled = try await settle(report, of: provider, asking: attempt)
            if let refusal = settled.refusal { throw refusal }
            return settled.record
        }
    }

    /// Takes a webhook's hint: asks the provider, now if it answers, later if not.
    func hear(_ notice: WebhookNotice, from provider: String) async throws {
        guard let reference = notice.reference else {
            if let id = notice.id { _ = try await webhooks.record(id, of: provider, in: database) }
            return
        }
        let attempt: PaymentAttempt? = try await database.transaction { transaction in
            if let id = notice.id, try await !webhooks.record(id, of: provider, in: transaction) { return nil }
            return try await record(reference, of: provider, nil, in: transaction)
        }
        if let attempt { try await takeUp(attempt) }
    }

    /// Takes up attempts that are due: those whose call a crash or a silent provider has cut off.
    ///
    /// - Returns: how many there were.
    func takeUpDue(atMost limit: Int) async throws -> Int {
        let due = try await attempts.takeDue(at: .now, until: .now + Self.grace, limit: limit, in: database)
        for attempt in due { try await takeUp(attempt) }
        return due.count
    }

    /// Asks about the payment of an open attempt, and ends the attempt or puts it off.
    private func takeUp(_ attempt: PaymentAttempt) async throws {
        switch await providers.ask(about: attempt.reference, only: attempt.provider) {
        case .unusable:
            try await putOff(attempt, orEndAs: "abandoned")
        case .unknown:
            try await attempts.end(attempt.id, outcome: "unknown", in: database)
        case .payment(let report, let provider):
            // Its buyer was not told yet that it is not paid, so that it may be paid still.
            let isWaiting = attempt.claim != nil && report.status == .open
            try await settle(report, of: provider, asking: isWaiting ? nil : attempt)
            if isWaiting { try await putOff(attempt, orEndAs: "notPaid") }
        }
    }

    private func putOff(_ attempt: PaymentAttempt, orEndAs outcome: String) async throws {
        if attempt.madeAt + attemptLifetime > .now {
            try await attempts.postpone(attempt.id, until: .now + attempt.pause, in: database)
        } else {
            try await attempts.end(attempt.id, outcome: outcome, in: database)
        }
    }

    private func record(
        _ reference: String, of provider: String?, _ claim: PaymentAttempt.Claim?,
        in database: some Queryable
    ) async throws -> PaymentAttempt {
        let draft = AttemptStore.Draft(
            provider: provider, reference: reference, claim: claim, nextTryAt: .now + Self.grace,
            limit: claim == nil ? Self.attemptsOfWebhooks : Self.attemptsPerUser)
        guard let attempt = try await attempts.record(draft, in: database) else {
            throw Failure.tooManyCalls(retryAfter: .seconds(60))
        }
        return attempt
    }
}
