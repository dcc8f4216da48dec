import Contract
import EngineIO
import ServiceKit
import SocketIO

/// The settings that only this service has.
struct GatewaySettings: Sendable {
    private static let nodeKey = ConfigKey(
        "node", default: "",
        "The unique name of this instance: letters, digits and hyphens, \(longestNode) at most. Empty generates one."
    )
    /// The ids of sessions begin with it, and have room for some more.
    private static let longestNode = 24
    private static let nodeAddressKey = ConfigKey(
        "node_address", default: "",
        "Where other instances reach the internal port of this one, such as 10.0.0.7:9104. Empty for the instance "
            + "address or, without one, the internal address, or the name of the host where that is any.")
    private static let originsKey = ConfigKey(
        "allowed_origins", default: [String](),
        "Pages of other origins that may open sockets, such as https://maru.example.")
    /// nginx cuts off a connection that is silent for 120 s, which interval and time-out may be together.
    private static let longestSilence = Duration.seconds(50)
    private static let pingIntervalKey = ConfigKey(
        "ping_interval", default: Duration.seconds(25), atLeast: .milliseconds(100), atMost: longestSilence,
        "The time between a client's sign of life and the next ping.")
    private static let pingTimeoutKey = ConfigKey(
        "ping_timeout", default: Duration.seconds(20), atLeast: .milliseconds(100), atMost: longestSilence,
        "How long a client may take to answer a ping.")
    private static let readerTimeoutKey = ConfigKey(
        "reader_patience", default: Duration.seconds(10), atLeast: .milliseconds(100),
        "How long a client with waiting output may read nothing before it is disconnected.")
    private static let drainWindowKey = ConfigKey(
        "drain_window", default: Duration.seconds(5), "The time over which sockets are closed when the process ends.")

    private static let anonymousKey = ConfigKey(
        "allow_anonymous_sockets", default: "",
        "The client profile of anonymous sockets, for old deployments. With it, every client that reaches the server can "
            + "read every room. Empty refuses anonymous sockets.")

    static let entries =
        [
            nodeKey.entry, originsKey.entry, pingIntervalKey.entry, pingTimeoutKey.entry, drainWindowKey.entry,
            readerTimeoutKey.entry, anonymousKey.entry, nodeAddressKey.entry, SessionCursors.memoryKey.entry,
        ] + SocketLimitSettings.entries + PushSettings.entries

    let node: String
    /// Empty where it is to be made of the internal address.
    let nodeAddress: String
    let limits: SocketLimitSettings
    let allowedOrigins: [String]
    let readerTimeout: Duration
    let drainWindow: Duration
    let positionMemory: Duration
    let pushes: PushSettings
    private let anonymous: String
    let engine: EngineSettings
    let socketIO: SocketIOSettings

    init(_ config: Config) throws(ConfigError) {
        let name = config[Self.nodeKey]
        guard name.utf8.count <= Self.longestNode, name.utf8.allSatisfy(Self.mayBeInNode) else {
            throw ConfigError("node must be letters, digits and hyphens, \(Self.longestNode) at most")
        }
        node = name.isEmpty ? String(UInt64.random(in: .min ... .max), radix: 36) : name
        nodeAddress = config[Self.nodeAddressKey]
        limits = SocketLimitSettings(config)
        allowedOrigins = config[Self.originsKey]
        readerTimeout = config[Self.readerTimeoutKey]
        drainWindow = config[Self.drainWindowKey]
        positionMemory = config[SessionCursors.memoryKey]
        pushes = PushSettings(config)
        anonymous = config[Self.anonymousKey]
        var engine = EngineSettings()
        engine.pingInterval = config[Self.pingIntervalKey]
        engine.pingTimeout = config[Self.pingTimeoutKey]
        limits.apply(to: &engine)
        self.engine = engine
        // Clients leave one room and join the next on the same connection, and may take their time.
        var socketIO = SocketIOSettings()
        socketIO.connectTimeout = nil
        socketIO.limits.attachmentBytes = limits.messageSize
        self.socketIO = socketIO
    }

    private static func mayBeInNode(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// How anonymous sockets are served; nil where they are refused.
    func anonymousProfile(of profiles: ClientProfiles) throws -> ClientProfile? {
        if anonymous.isEmpty { return nil }
        guard let profile = profiles[name: anonymous] else {
            throw ConfigError("allow_anonymous_sockets: there is no client profile \(anonymous)")
        }
        return profile
    }
}
