import Contract
import ServiceKit
import Telemetry
import Wire

/// Catalogue, purchases, the ledger of coins.
@main
enum App {
    static func main() {
        Service.main(
            "payment-service", settings: PaymentSettings.entries, commands: [reconcile], assemble: assemble)
    }

    /// Reconciliation by hand; what it finds is printed, and told by the exit status.
    static let reconcile = OperatorCommand(
        "reconcile", "holds all payments and the ledger against the providers and themselves; 1 when they differ",
        posting: "/internal/reconciliation", within: .seconds(3600)
    ) { reply in
        reply["complete"]?.bool == true && reply["differences"]?.elements?.first { _ in true } == nil
    }

    /// Builds everything from the settings and passes it down.
    static func assemble(_ service: ServiceBuilder) async throws {
        let settings = PaymentSettings(service.config)
        let database = try await service.database("payment", migrations: Migrations.all)
        let redis = try service.redis()
        let ledger = Ledger(
            database: database,
            outbox: service.outbox(of: PaymentFact.self, in: database, to: redis),
            lanes: UserLanes(service.loops),
            welcomeGrant: settings.welcomeGrant,
            reserveLifetime: settings.reserveLifetime)
        let payments = Payments(
            database: database,
            ledger: ledger,
            providers: try PaymentProviders(
                service.config, client: ProviderClient(http: service.http, deadline: settings.providerDeadline)),
            catalogue: settings.catalogue,
            attemptLifetime: settings.attemptLifetime)
        let reconciliation = Reconciliation(
            database: database,
            payments: payments,
            window: settings.reconciliationWindow,
            unclaimedAfter: settings.unclaimedAfter)
        let sweeping = Sweeping(
            ledger: ledger,
            payments: payments,
            reconciliation: reconciliation,
            interval: settings.sweepInterval,
            reconciliationInterval: settings.reconciliationInterval,
            metrics: DifferenceMetrics(),
            log: service.log)
        service.metrics.add(sweeping.metrics)

        service.publicRoutes { routes in
            StoreRoutes(catalogue: payments.catalogue, payments: payments).register(in: &routes)
            WebhookRoutes(payments: payments).register(in: &routes)
        }
        service.internalRoutes { routes in
            LedgerRoutes(ledger: ledger).register(in: &routes)
            ReconciliationRoutes(reconciliation: reconciliation).register(in: &routes)
        }
        let captures = CoinCaptureConsumer(ledger: ledger, log: service.log)
        try service.facts(captures.handle)
        service.background("reserve expiry", sweeping.expireReserves)
        service.background("payment attempts", sweeping.takeUpAttempts)
        service.background("reconciliation", sweeping.reconcile)
        service.background("count of differences", sweeping.countDifferences)
    }
}
