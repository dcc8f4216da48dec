import Contract
import ServiceKit
import Wire

/// Payments from the first lookup to the last refund. Client calls, webhooks and reconciliation all end in `settle`,
/// which holds the payment's lock, so a payment is credited once in every order of events.
struct Payments: Sendable {
    let orders: OrderStore
    let payments: PaymentStore
    let attempts: AttemptStore
    let webhooks: WebhookStore
    let ledger: Ledger
    let providers: PaymentProviders
    let catalogue: Catalogue
    /// How long lookups are retried while the provider does not answer.
    let attemptLifetime: Duration
    let limits: PaymentLimits

    /// How long a call may work on its attempt before ``MaintenanceJobs`` resumes it.
    static let grace = Duration.seconds(30)
    /// The most open attempts of one user.
    static let attemptsPerUser = 20
    /// The most open attempts of webhooks, because an unsigned webhook costs its sender nothing.
    static let attemptsOfWebhooks = 10_000

    /// Makes an order of an item.
    ///
    /// - Throws: E11 for an unknown item, E98 if the user has made too many orders within a day.
    func order(_ name: String, for user: UserID, under key: String) async throws -> PurchaseOrder {
        guard let item = catalogue[name: name] else { throw Failure.invalid("The store has no such item.") }
        let order = PurchaseOrder(of: item, for: user, under: key)
        // The store locks the user's orders. Calls that wait for the lock would take the connections of other users.
        let isAccepted = try await ledger.queue.run(user) {
            try await orders.insert(order, limit: limits.ordersPerDay)
        }
        guard isAccepted else {
            throw Failure.tooManyCalls(retryAfter: .seconds(3600))
        }
        return order
    }

    /// Looks up a payment and credits it to its buyer.
    ///
    /// - Returns: the stored payment, the same for every repetition.
    /// - Throws: ``PaymentVerdict/Refusal``, or ``ProviderFault`` if the provider does not answer. The attempt then
    ///   stays open and is resumed later.
    func validate(_ reference: String, _ buyer: PaymentAttempt.Buyer) async throws -> PaymentRecord {
        if let record = try await payments.find(reference, of: providers.names), record.credit != nil {
            var settlement = Settlement(of: record)
            _ = try settlement.credit(buyer, from: catalogue, at: .now).get()
            return record
        }
        if providers.needsOrder(reference) {
            guard let owner = try await orders.owner(of: reference) else {
                throw PaymentVerdict.Refusal.unknown
            }
            guard owner == buyer.user else { throw PaymentVerdict.Refusal.taken }
        }
        _ = try providers.candidates(for: reference)
        let attempt = try await accepted(
            ledger.queue.run(buyer.user) { try await attempts.record(newAttempt(reference, of: nil, buyer)) })
        switch await providers.ask(about: reference) {
        case .unusable(let fault):
            try await attempts.postpone(attempt.id, until: .now + attempt.retryDelay)
            throw fault
        case .unknown:
            try await attempts.end(attempt.id, outcome: "unknown")
            throw PaymentVerdict.Refusal.unknown
        case .payment(let report, let provider):
            let settled = try await settle(report, of: provider, for: attempt)
            if let refusal = settled.refusal { throw refusal }
            return settled.record
        }
    }

    /// Looks up the payment of a webhook now, or later if the provider does not answer.
    func receive(_ notice: WebhookNotice, from provider: String) async throws {
        guard let reference = notice.reference else {
            if let id = notice.id { try await webhooks.record(id, of: provider) }
            return
        }
        let attempt: PaymentAttempt? = try await webhooks.transaction { transaction in
            if let id = notice.id, try await !webhooks.record(id, of: provider, in: transaction) { return nil }
            return try await accepted(attempts.record(newAttempt(reference, of: provider, nil), in: transaction))
        }
        if let attempt { try await resume(attempt) }
    }

    /// Resumes due attempts: those that a crash or a silent provider interrupted.
    ///
    /// - Returns: the number of due attempts.
    func resumeDue(atMost limit: Int) async throws -> Int {
        let due = try await attempts.claimDue(at: .now, until: .now + Self.grace, limit: limit)
        var failure: (any Error)?
        for attempt in due {
            do { try await resume(attempt) } catch {
                // The others do not wait for one that cannot be settled. Reconciliation lists it in the end.
                failure = failure ?? error
                try await postpone(attempt, orEndAs: "abandoned")
            }
        }
        if let failure { throw failure }
        return due.count
    }

    /// Looks up the payment of an open attempt, and ends or postpones the attempt.
    private func resume(_ attempt: PaymentAttempt) async throws {
        switch await providers.ask(about: attempt.reference, only: attempt.provider) {
        case .unusable:
            try await postpone(attempt, orEndAs: "abandoned")
        case .unknown:
            try await attempts.end(attempt.id, outcome: "unknown")
        case .payment(let report, let provider):
            // The buyer has no final reply yet, and an open payment may still be paid.
            let isWaiting = attempt.buyer != nil && report.status == .open
            try await settle(report, of: provider, for: isWaiting ? nil : attempt)
            if isWaiting { try await postpone(attempt, orEndAs: "notPaid") }
        }
    }

    private func postpone(_ attempt: PaymentAttempt, orEndAs outcome: String) async throws {
        if attempt.madeAt + attemptLifetime > .now {
            try await attempts.postpone(attempt.id, until: .now + attempt.retryDelay)
        } else {
            try await attempts.end(attempt.id, outcome: outcome)
        }
    }

    private func newAttempt(
        _ reference: String, of provider: String?, _ buyer: PaymentAttempt.Buyer?
    ) -> AttemptStore.NewAttempt {
        AttemptStore.NewAttempt(
            provider: provider, reference: reference, buyer: buyer, nextTryAt: .now + Self.grace,
            limit: buyer == nil ? Self.attemptsOfWebhooks : Self.attemptsPerUser, unknownLimit: limits.unknownPerHour)
    }

    /// Throws E98 if the store refused an attempt because of its limits.
    private func accepted(_ attempt: PaymentAttempt?) throws(Failure) -> PaymentAttempt {
        guard let attempt else { throw .tooManyCalls(retryAfter: .seconds(60)) }
        return attempt
    }
}
