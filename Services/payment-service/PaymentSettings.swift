import ServiceKit

/// What an operator can set, beside what every service and every provider has.
enum PaymentSettings {
    static let catalogue = ConfigKey(
        "catalogue",
        default: Catalogue(text: "10 Coin=100:10, 50 Coin=500:50, 100 Coin=1000:100") ?? Catalogue(items: []),
        "What the store sells: name=price in won:coins of each item.")
    static let welcomeGrant = ConfigKey(
        "welcome_grant", default: 100, atLeast: 0, "Coins that an account holds when it is touched for the first time.")
    static let reserveLifetime = ConfigKey(
        "reserve_lifetime", default: Duration.seconds(600), atLeast: .milliseconds(1),
        "How long coins are held that nobody captures or releases.")
    static let sweepInterval = ConfigKey(
        "sweep_interval", default: Duration.seconds(2), atLeast: .milliseconds(1),
        "How often expired reserves and unanswered questions to providers are looked for.")
    static let attemptLifetime = ConfigKey(
        "attempt_lifetime", default: Duration.seconds(3 * 86_400),
        "How long a provider that gives no answer is asked again about a payment that somebody claims.")
    static let reconciliationInterval = ConfigKey(
        "reconciliation_interval", default: Duration.seconds(3600), atLeast: .milliseconds(1),
        "How often one instance reconciles all payments and the whole ledger.")
    static let reconciliationWindow = ConfigKey(
        "reconciliation_window", default: Duration.seconds(30 * 86_400),
        "Payments first seen longer ago are not asked about any more.")
    static let unclaimedAfter = ConfigKey(
        "unclaimed_after", default: Duration.seconds(86_400), "Paid payments that nobody claims for so long are listed."
    )
    static let providerDeadline = ConfigKey(
        "provider_deadline", default: Duration.seconds(5), atLeast: .milliseconds(1),
        "How long a request to a payment provider may take.")

    static let entries =
        [
            catalogue.entry, welcomeGrant.entry, reserveLifetime.entry, sweepInterval.entry, attemptLifetime.entry,
            reconciliationInterval.entry, reconciliationWindow.entry, unclaimedAfter.entry, providerDeadline.entry,
        ] + PaymentProviders.known.flatMap { $0.settings }
}

extension Catalogue: ConfigValue {
    static let typeName = "catalogue"

    init?(configText: String) { self.init(text: configText) }

    var configText: String { text }
}
