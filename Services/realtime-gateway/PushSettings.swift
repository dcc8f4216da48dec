import ServiceKit

/// The settings for pushes.
struct PushSettings: Sendable {
    private static let pushLeaseKey = ConfigKey(
        "push_lease", default: Duration.seconds(60), atLeast: .seconds(1),
        "How long an instance holds the lease on a push. Others send the pushes of a dead instance afterwards.")
    private static let pushAgeKey = ConfigKey(
        "push_age", default: Duration.seconds(3600), atLeast: .seconds(1),
        "Messages older than this are not pushed.")
    private static let providerDeadlineKey = ConfigKey(
        "provider_deadline", default: Duration.seconds(10), atLeast: .milliseconds(1),
        "Time-out of a request to FCM. Shorter than push_lease.")
    private static let fcmURLKey = ConfigKey("fcm_url", default: "https://fcm.googleapis.com", "The base URL of FCM.")
    private static let fcmTokenURLKey = ConfigKey(
        "fcm_token_url", default: "", "The URL of access tokens for FCM. Empty for the one of the service account.")
    private static let fcmServiceAccountKey = ConfigKey(
        "fcm_service_account", default: "", "The key file of the service account for FCM; empty turns push off.")

    private static let decisionMemoryKey = ConfigKey(
        "push_decision_memory", default: Duration.seconds(7 * 86_400), atLeast: .seconds(60),
        "How long the reason is kept for which a member was pushed a message or not.")

    static let entries = [
        fcmURLKey.entry, fcmTokenURLKey.entry, fcmServiceAccountKey.entry, pushLeaseKey.entry, pushAgeKey.entry,
        providerDeadlineKey.entry, decisionMemoryKey.entry,
    ]

    let lease, age, providerDeadline, decisionMemory: Duration
    /// How long the process waits at its end for pushes under way.
    var drain: Duration { providerDeadline + .seconds(2) }
    let fcmURL: String
    /// Nil if the service account names it.
    let fcmTokenURL: String?
    private let fcmServiceAccount: String

    init(_ config: Config) {
        lease = config[Self.pushLeaseKey]
        age = config[Self.pushAgeKey]
        providerDeadline = config[Self.providerDeadlineKey]
        decisionMemory = config[Self.decisionMemoryKey]
        fcmURL = config[Self.fcmURLKey]
        fcmTokenURL = config[Self.fcmTokenURLKey].isEmpty ? nil : config[Self.fcmTokenURLKey]
        fcmServiceAccount = config[Self.fcmServiceAccountKey]
    }

    /// The identity for FCM; nil if pushes are off.
    func serviceAccount() throws -> ServiceAccount? {
        if fcmServiceAccount.isEmpty { return nil }
        guard let text = Config.textOfFile(fcmServiceAccount), let account = ServiceAccount(text) else {
            throw ConfigError("fcm_service_account: \(fcmServiceAccount) is not a key file of a service account")
        }
        return account
    }
}
