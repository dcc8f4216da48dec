import Contract
import ServiceKit
import Telemetry
import Wire

/// Catalogue, purchases, the ledger of coins.
@main
enum App {
    static func main() {
        Service.main(
            "payment-service", settings: PaymentSettings.entries, commands: [reconcile], migrations: Migrations.all,
            reference: Reference.all, assemble: assemble)
    }

    /// The operator's command for reconciliation. It prints the differences and exits with 1 if there are any.
    static let reconcile = OperatorCommand(
        "reconcile",
        "compares all payments with their providers and the ledger with its sums; exits with 1 if they differ",
        posting: "/internal/reconciliation", within: .seconds(3600)
    ) { reply in
        reply["complete"]?.bool == true && reply["differences"]?.elements?.first { _ in true } == nil
    }

    /// Builds every part from the settings and passes it on by initialiser.
    static func assemble(_ service: ServiceBuilder) async throws {
        let settings = PaymentSettings(service.config)
        let database = try await service.database("payment", migrations: Migrations.all)
        let redis = try service.redis()
        let ledger = Ledger(
            accounts: LedgerStore(database: database),
            reserves: ReserveStore(database: database),
            outbox: service.outbox(of: PaymentFact.self, in: database, to: redis),
            queue: UserQueue(service.loops),
            welcomeGrant: settings.welcomeGrant,
            reserveLifetime: settings.reserveLifetime)
        let payments = Payments(
            orders: OrderStore(database: database),
            payments: PaymentStore(database: database),
            attempts: AttemptStore(database: database),
            webhooks: WebhookStore(database: database),
            ledger: ledger,
            providers: try PaymentProviders(
                service.config,
                client: ProviderClient(http: service.provider("portone"), deadline: settings.providerDeadline)),
            catalogue: settings.catalogue,
            attemptLifetime: settings.attemptLifetime,
            limits: settings.limits)
        let reconciliation = Reconciliation(
            audit: AuditStore(database: database),
            store: DifferenceStore(database: database),
            schedule: ScheduleStore(database: database),
            payments: payments,
            window: settings.reconciliationWindow,
            unclaimedAfter: settings.unclaimedAfter)
        let jobs = MaintenanceJobs(
            ledger: ledger,
            payments: payments,
            reconciliation: reconciliation,
            reconciliationInterval: settings.reconciliationInterval,
            metrics: DifferenceMetrics(),
            log: service.log)
        service.metrics.add(jobs.metrics)

        service.publicRoutes { routes in
            StoreRoutes(catalogue: payments.catalogue, payments: payments).register(in: &routes)
            WebhookRoutes(payments: payments).register(in: &routes)
        }
        service.internalRoutes { routes in
            LedgerRoutes(ledger: ledger).register(in: &routes)
            ExportRoutes(store: ExportStore(database: database)).register(in: &routes)
            ReconciliationRoutes(reconciliation: reconciliation).register(in: &routes)
        }
        service.operatorRoutes { routes in
            PurchaseOperatorRoutes(payments: payments, reconciliation: reconciliation).register(in: &routes)
        }
        let captures = CoinCaptureConsumer(ledger: ledger, log: service.log)
        try service.facts(captures.handle)
        let accounts = AccountFactConsumer(
            erasure: ErasureStore(database: database), auth: AuthClient(service.internalClient(service.peers.auth)))
        try service.facts(accounts.handle)
        let pause = max(settings.sweepInterval, .milliseconds(10))
        service.background("reserve expiry", every: pause, jobs.expireReserves)
        service.background("payment attempts", every: pause, jobs.resumeAttempts)
        service.background("reconciliation", every: pause, jobs.reconcile)
        service.background("count of differences", every: pause, jobs.countDifferences)
    }
}
