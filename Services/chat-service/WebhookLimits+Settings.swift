import HTTP
import ServiceKit

/// The settings of outgoing webhooks.
extension WebhookLimits {
    private static let keyKey = ConfigKey(
        "webhook_key", default: Secret.none,
        "The key that the secrets of outgoing webhooks are derived from; empty derives it from service_credential. A "
            + "change makes all of them useless.")
    private static let subscriptionsKey = ConfigKey(
        "workspace_webhooks", default: 20, atLeast: 1, atMost: 200,
        "The largest number of outgoing webhooks of a workspace.")
    private static let timeoutKey = ConfigKey(
        "webhook_timeout", default: Duration.seconds(10), atLeast: .milliseconds(100), atMost: .seconds(60),
        "The time-out of a call to the receiver of an outgoing webhook.")
    private static let giveUpKey = ConfigKey(
        "webhook_patience", default: Duration.seconds(86_400), atLeast: .seconds(1),
        "How long an event is retried while its receiver does not accept it.")
    private static let offKey = ConfigKey(
        "webhook_off_after", default: Duration.seconds(2 * 86_400), atLeast: .seconds(1),
        "How long every call of an outgoing webhook must fail before it is switched off.")
    private static let memoryKey = ConfigKey(
        "webhook_memory", default: Duration.seconds(7 * 86_400), atLeast: .seconds(60),
        "How long events of outgoing webhooks are kept, to be listed and sent again by hand.")
    private static let overlapKey = ConfigKey(
        "webhook_overlap", default: Duration.seconds(86_400), atLeast: .seconds(1),
        "How long the old secret of an outgoing webhook also signs after a rotation.")
    private static let portsKey = ConfigKey(
        "webhook_ports", default: ["80", "443"], "The ports of receivers of outgoing webhooks.")
    private static let exceptionsKey = ConfigKey(
        "webhook_exceptions", default: [String](),
        "Addresses and networks that outgoing webhooks may call at all ports although they are not public, such as 10.1.2.0/24."
    )

    static let settings = [
        keyKey.entry, subscriptionsKey.entry, timeoutKey.entry, giveUpKey.entry, offKey.entry, memoryKey.entry,
        overlapKey.entry, portsKey.entry, exceptionsKey.entry,
    ]

    init(_ config: Config) throws {
        let ports = config[Self.portsKey].map { UInt16($0) }
        guard !ports.contains(nil) else { throw ConfigError("webhook_ports must be a list of ports") }
        let exceptions = config[Self.exceptionsKey].map { IPNetwork($0) }
        guard !exceptions.contains(nil) else {
            throw ConfigError("webhook_exceptions must be a list of addresses or networks")
        }
        self.init(
            ofWorkspace: config[Self.subscriptionsKey], timeout: config[Self.timeoutKey],
            giveUpAfter: (config[Self.giveUpKey], config[Self.offKey]), memory: config[Self.memoryKey],
            overlap: config[Self.overlapKey],
            addresses: PeerRule(ports: Set(ports.compactMap { $0 }), exceptions: exceptions.compactMap { $0 }))
    }

    /// The signer of the deployment.
    ///
    /// - Parameter credential: the secret of the services.
    static func signer(_ config: Config, credential: String) -> WebhookSigner {
        let key = config[keyKey].revealed
        return WebhookSigner(key: key.isEmpty ? credential : key)
    }
}
