internal import Contract
internal import EventLoop
internal import Telemetry

/// The settings of every service.
struct CommonSettings: Sendable {
    static let publicAddress = ConfigKey<SocketAddress>(
        "public_address", "The address for client calls, behind the API gateway.")
    static let internalAddress = ConfigKey<SocketAddress>(
        "internal_address", "The address for other services, health and metrics; not to be routed.")
    static let loops = ConfigKey("loops", default: 0, atLeast: 0, "Event loops, one thread each; 0 for one per core.")
    static let logLevel = ConfigKey(
        "log_level", default: LogLevel.info, "The lowest level that is logged: debug, info, warning, error.")
    static let logSample = ConfigKey(
        "log_sample", default: 1.0, atLeast: 0, atMost: 1,
        "The share of calls that are logged; failed calls and calls over a second are always logged.")
    static let clientsFile = ConfigKey<String>("clients_file", "The file of API keys and client profiles.")
    static let credential = ConfigKey<Secret>(
        "service_credential", charactersAtLeast: 32, "The secret that services show each other.")
    static let operatorCredential = ConfigKey(
        "operator_credential", default: Secret.none,
        "The secret that operators share, 32 characters at least; empty admits only the operators of operators_file.")
    static let operatorsFile = ConfigKey(
        "operators_file", default: "",
        "The file of operators with a credential of their own, made by `maructl operators`; empty for none.")
    static let databaseURL = ConfigKey<Secret>(
        "database_url",
        "The service's own database and role: postgres://role:password@host/db; host,host,host for a Patroni cluster.")
    static let databaseTimeout = ConfigKey(
        "database_timeout", default: Duration.seconds(5), atLeast: .milliseconds(500),
        "How long a call to the database may take before it fails with E99. Up to two fifths of it may be a wait for a connection."
    )
    static let databaseConnectTimeout = ConfigKey(
        "database_connect_timeout", default: Duration.seconds(2), atLeast: .milliseconds(100),
        "The time limit for a connection to one host of the database.")
    static let databaseSilence = ConfigKey(
        "database_silence", default: Duration.seconds(2), atLeast: .milliseconds(100),
        "How long the database may leave a statement without an answer before the service asks whether it still runs.")
    static let databaseConnections = ConfigKey(
        "database_connections", default: 4, atLeast: 1, "The most database connections per loop.")
    static let redisURL = ConfigKey<Secret>(
        "redis_url",
        "The address of Redis: redis://:password@host:port/0; redis+cluster://:password@host:port,host:port for a cluster."
    )
    static let redisTimeout = ConfigKey(
        "redis_timeout", default: Duration.seconds(1), atLeast: .milliseconds(100),
        "How long a command of Redis may take before it fails.")
    static let authURL = ConfigKey(
        "auth_url", default: "http://127.0.0.1:9101", "The internal address of auth-service.")
    static let workspaceURL = ConfigKey(
        "workspace_url", default: "http://127.0.0.1:9102", "The internal address of workspace-service.")
    static let chatURL = ConfigKey(
        "chat_url", default: "http://127.0.0.1:9103", "The internal address of chat-service.")
    static let realtimeURL = ConfigKey(
        "realtime_url", default: "http://127.0.0.1:9104", "The internal address of realtime-gateway.")
    static let paymentURL = ConfigKey(
        "payment_url", default: "http://127.0.0.1:9105", "The internal address of payment-service.")
    static let internalTimeout = ConfigKey(
        "internal_timeout", default: Duration.seconds(3), atLeast: .milliseconds(100),
        "How long most calls to other services may take. Those that may be repeated get a second attempt after half of it."
    )
    static let connectTimeout = ConfigKey(
        "connect_timeout", default: Duration.seconds(3), atLeast: .milliseconds(100),
        "The time limit for a connection to another service or to a provider, with its name lookup and TLS handshake.")
    static let fileLinkLifetime = ConfigKey(
        "file_link_lifetime", default: Duration.seconds(3600), atLeast: .seconds(1),
        "How long a signed URL of a file is valid; at most as long as the longest access token.")
    static let imagePixels = ConfigKey(
        "image_pixels", default: 100_000_000, atLeast: 1,
        "The most pixels of an uploaded picture, by its header; programs need about 4 bytes each to show it.")
    static let trustedProxies = ConfigKey(
        "trusted_proxies", default: ["127.0.0.1", "::1"],
        "Addresses of the API gateways that may set X-Forwarded-For; * for all.")
    static let gatewayCredential = ConfigKey(
        "gateway_credential", default: Secret.none,
        "The secret that trusted gateways show in X-Gateway-Credential; empty trusts their addresses alone.")
    static let connections = ConfigKey(
        "connections", default: 20_000, atLeast: 1,
        "The most client connections open at once, sockets included; fewer if the limit of open files is low.")
    static let userRate = ConfigKey(
        "user_rate", default: 50, atLeast: 1, "Calls per second of one user.")
    static let userBurst = ConfigKey(
        "user_burst", default: 2500, atLeast: 1, "Calls of one user at once: home screens make two per room.")
    static let addressRate = ConfigKey(
        "address_rate", default: 20, atLeast: 1, "Calls without a token per second of one address.")
    static let addressBurst = ConfigKey(
        "address_burst", default: 2500, atLeast: 1,
        "Calls without a token of one address at once, refreshes among them: many users may share it.")
    static let keyRate = ConfigKey(
        "key_rate", default: 0, atLeast: 0,
        "Calls per second with one API key; 0 for no limit.")
    static let keyBurst = ConfigKey(
        "key_burst", default: 10_000, atLeast: 1, "Calls with one API key at once.")
    static let userReplyBytes = ConfigKey(
        "user_reply_bytes", default: ByteCount(4 << 20),
        "Reply bytes of one user that may wait for slow clients; then calls are refused.")
    static let addressReplyBytes = ConfigKey(
        "address_reply_bytes", default: ByteCount(16 << 20), "Reply bytes of one address that may wait.")
    static let replyBytes = ConfigKey(
        "reply_bytes", default: ByteCount(48 << 20),
        "Reply bytes of all clients that may wait; callers without waiting replies may double them.")
    static let drainTimeout = ConfigKey(
        "drain_timeout", default: Duration.seconds(20), "The time for open calls to finish when the service stops.")

    static let drainIdle = ConfigKey(
        "drain_idle", default: Duration.seconds(7),
        "How long idle connections stay open when the service stops. The API gateway keeps them for 5s; set it above that."
    )
    static let sharedPorts = ConfigKey(
        "shared_ports", default: false,
        "Whether another instance may listen at the same addresses, such as the one that this instance replaces.")
    static let instanceAddress = ConfigKey<SocketAddress?>(
        "instance_address", default: .none,
        "A second internal address that no other instance listens at, such as 127.0.0.1:9111; empty for none.")

    /// The services in the order of their ports.
    private static let order = [
        "auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service",
    ]

    /// All common settings, with the default ports of the service.
    static func entries(of service: String) -> [ConfigEntry] {
        let number = UInt16(order.firstIndex(of: service).map { $0 + 1 } ?? 0)
        return [
            publicAddress.entry(default: "127.0.0.1:\(8100 + number)"),
            internalAddress.entry(default: "127.0.0.1:\(9100 + number)"),
            connections.entry(default: service == "realtime-gateway" ? "50000" : connections.fallback?.configText),
        ] + others + FileSettings.entries + TraceSettings.entries
    }

    private static let others: [ConfigEntry] = [
        loops.entry, logLevel.entry, logSample.entry, clientsFile.entry, credential.entry,
        operatorCredential.entry, operatorsFile.entry,
        databaseURL.entry, databaseConnections.entry, databaseTimeout.entry, databaseConnectTimeout.entry,
        databaseSilence.entry, redisURL.entry, redisTimeout.entry, authURL.entry, workspaceURL.entry, chatURL.entry,
        realtimeURL.entry, paymentURL.entry, internalTimeout.entry, connectTimeout.entry, fileLinkLifetime.entry,
        imagePixels.entry, trustedProxies.entry,
        gatewayCredential.entry,
        userRate.entry, userBurst.entry, addressRate.entry, addressBurst.entry, keyRate.entry, keyBurst.entry,
        userReplyBytes.entry, addressReplyBytes.entry, replyBytes.entry,
        drainTimeout.entry, drainIdle.entry, sharedPorts.entry, instanceAddress.entry,
    ]
}
