import ServiceKit

/// The settings of payment-service, beside those of the providers.
struct PaymentSettings: Sendable {
    private static let catalogueKey = ConfigKey(
        "catalogue",
        default: Catalogue(text: "10 Coin=100:10, 50 Coin=500:50, 100 Coin=1000:100") ?? Catalogue(items: []),
        "The items for sale, each as name=price in won:coins.")
    private static let welcomeGrantKey = ConfigKey(
        "welcome_grant", default: 100, atLeast: 0, "Coins that a new account receives.")
    private static let reserveLifetimeKey = ConfigKey(
        "reserve_lifetime", default: Duration.seconds(600), atLeast: .milliseconds(1),
        "How long coins stay reserved without a capture or release.")
    private static let sweepIntervalKey = ConfigKey(
        "sweep_interval", default: Duration.seconds(2), atLeast: .milliseconds(1),
        "Interval of the jobs that expire reserves and resume interrupted payment lookups.")
    private static let attemptLifetimeKey = ConfigKey(
        "attempt_lifetime", default: Duration.seconds(3 * 86_400),
        "How long lookups of a payment are retried while its provider does not answer.")
    private static let reconciliationIntervalKey = ConfigKey(
        "reconciliation_interval", default: Duration.seconds(3600), atLeast: .milliseconds(1),
        "Interval at which one instance reconciles all payments and the whole ledger.")
    private static let reconciliationWindowKey = ConfigKey(
        "reconciliation_window", default: Duration.seconds(30 * 86_400),
        "Payments first seen longer ago are not compared with their provider any more.")
    private static let unclaimedAfterKey = ConfigKey(
        "unclaimed_after", default: Duration.seconds(86_400),
        "Paid payments that stay unclaimed this long are listed as differences."
    )
    private static let ordersPerDayKey = ConfigKey(
        "orders_per_day", default: 100, atLeast: 1, "Orders that one user may make within a day.")
    private static let unknownPaymentsPerHourKey = ConfigKey(
        "unknown_payments_per_hour", default: 20, atLeast: 1,
        "Validations within an hour of payments that no provider knows, for each user. Those under way count as well.")
    private static let providerDeadlineKey = ConfigKey(
        "provider_deadline", default: Duration.seconds(5), atLeast: .milliseconds(1),
        "Time-out of a request to a payment provider.")

    static let entries =
        [
            catalogueKey.entry, welcomeGrantKey.entry, reserveLifetimeKey.entry, sweepIntervalKey.entry,
            attemptLifetimeKey.entry, reconciliationIntervalKey.entry, reconciliationWindowKey.entry,
            unclaimedAfterKey.entry, ordersPerDayKey.entry, unknownPaymentsPerHourKey.entry, providerDeadlineKey.entry,
        ] + PaymentProviders.known.flatMap { $0.settings }

    let catalogue: Catalogue
    let welcomeGrant: Int
    let reserveLifetime: Duration
    let sweepInterval: Duration
    let attemptLifetime: Duration
    let reconciliationInterval: Duration
    let reconciliationWindow: Duration
    let unclaimedAfter: Duration
    let limits: PaymentLimits
    let providerDeadline: Duration

    init(_ config: Config) {
        catalogue = config[Self.catalogueKey]
        welcomeGrant = config[Self.welcomeGrantKey]
        reserveLifetime = config[Self.reserveLifetimeKey]
        sweepInterval = config[Self.sweepIntervalKey]
        attemptLifetime = config[Self.attemptLifetimeKey]
        reconciliationInterval = config[Self.reconciliationIntervalKey]
        reconciliationWindow = config[Self.reconciliationWindowKey]
        unclaimedAfter = config[Self.unclaimedAfterKey]
        limits = PaymentLimits(
            ordersPerDay: config[Self.ordersPerDayKey], unknownPerHour: config[Self.unknownPaymentsPerHourKey])
        providerDeadline = config[Self.providerDeadlineKey]
    }
}

extension Catalogue: ConfigValue {
    static let typeName = "catalogue"

    init?(configText: String) { self.init(text: configText) }

    var configText: String { text }
}
