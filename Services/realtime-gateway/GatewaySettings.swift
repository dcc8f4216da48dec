import EngineIO
import ServiceKit
import SocketIO

/// The settings that only this service has.
struct GatewaySettings: Sendable {
    private static let nodeKey = ConfigKey(
        "node", default: "0", "The name of this instance among its like: letters, digits and hyphens.")
    private static let originsKey = ConfigKey(
        "allowed_origins", default: [String](),
        "Pages of other origins that may open sockets, such as https://maru.example.")
    private static let pingIntervalKey = ConfigKey(
        "ping_interval", default: Duration.seconds(25), "How long after a sign of life a client is asked for the next.")
    private static let pingTimeoutKey = ConfigKey(
        "ping_timeout", default: Duration.seconds(20), "How long a client may take to answer.")
    private static let drainWindowKey = ConfigKey(
        "drain_window", default: Duration.seconds(5), "Over how long sockets are closed at the end.")

    private static let fcmURLKey = ConfigKey("fcm_url", default: "https://fcm.googleapis.com", "Where FCM is.")
    private static let fcmTokenURLKey = ConfigKey(
        "fcm_token_url", default: "", "Where access tokens for FCM are; what the service account names when empty.")
    private static let fcmServiceAccountKey = ConfigKey(
        "fcm_service_account", default: "", "The key file of the service account for FCM; empty turns push off.")

    static let entries = [
        fcmURLKey.entry, fcmTokenURLKey.entry, fcmServiceAccountKey.entry,
        nodeKey.entry, originsKey.entry, pingIntervalKey.entry, pingTimeoutKey.entry, drainWindowKey.entry,
    ]

    let node: String
    let allowedOrigins: [String]
    let drainWindow: Duration
    let fcmURL: String
    /// Nil where the service account names it.
    let fcmTokenURL: String?
    private let fcmServiceAccount: String
    let engine: EngineSettings
    let socketIO: SocketIOSettings

    init(_ config: Config) {
        node = config[Self.nodeKey]
        allowedOrigins = config[Self.originsKey]
        drainWindow = config[Self.drainWindowKey]
        fcmURL = config[Self.fcmURLKey]
        fcmTokenURL = config[Self.fcmTokenURLKey].isEmpty ? nil : config[Self.fcmTokenURLKey]
        fcmServiceAccount = config[Self.fcmServiceAccountKey]
        var engine = EngineSettings()
        engine.pingInterval = config[Self.pingIntervalKey]
        engine.pingTimeout = config[Self.pingTimeoutKey]
        self.engine = engine
        // Clients leave one room and join the next on the same connection, and may take their time.
        var socketIO = SocketIOSettings()
        socketIO.connectTimeout = nil
        self.socketIO = socketIO
    }

    /// The identity for FCM; nil where push is off.
    func serviceAccount() throws -> ServiceAccount? {
        if fcmServiceAccount.isEmpty { return nil }
        guard let text = Config.textOfFile(fcmServiceAccount), let account = ServiceAccount(text) else {
            throw UnusableServiceAccount()
        }
        return account
    }
}

/// The file that `fcm_service_account` names is no key file of a service account.
struct UnusableServiceAccount: Error {}
