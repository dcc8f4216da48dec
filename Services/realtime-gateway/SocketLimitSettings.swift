import EngineIO
import ServiceKit
import WebSocket

/// The limits of new sockets and of the messages that clients send on them.
struct SocketLimitSettings: Sendable {
    private static let rateKey = ConfigKey(
        "handshake_rate", default: 2000, atLeast: 1,
        "New sockets a second. Others are refused with 503 and Retry-After.")
    private static let burstKey = ConfigKey(
        "handshake_burst", default: 10_000, atLeast: 1,
        "New sockets at once, such as after a restart.")
    private static let addressRateKey = ConfigKey(
        "handshake_address_rate", default: 200, atLeast: 1,
        "New sockets of one address a second. An office or a mobile network may share one address.")
    private static let addressBurstKey = ConfigKey(
        "handshake_address_burst", default: 5000, atLeast: 1, "New sockets of one address at once.")
    private static let namelessShareKey = ConfigKey(
        "nameless_share", default: 5, atLeast: 1, atMost: 100,
        "The share of the connections, in percent, that sockets without an identity may hold.")
    private static let namelessTimeoutKey = ConfigKey(
        "nameless_timeout", default: Duration.seconds(10), atLeast: .milliseconds(100),
        "How long a socket may stay open without an identity.")
    private static let userSocketsKey = ConfigKey(
        "user_sockets", default: 1000, atLeast: 1,
        "Open sockets of one user. Some apps open one for each room on each device.")
    private static let messageSizeKey = ConfigKey(
        "client_message_size", default: 8192, atLeast: 1024, atMost: 1_000_000,
        "The largest message of a client on a socket, inflated, in bytes. Clients send little more than requests to join."
    )
    private static let frameRateKey = ConfigKey(
        "client_frame_rate", default: 50, atLeast: 1,
        "WebSocket frames, or packets posted by long-polling, of one socket a second.")
    private static let frameBurstKey = ConfigKey(
        "client_frame_burst", default: 1000, atLeast: 1,
        "Such frames and packets of one socket at once: after a reconnect, clients join all of their rooms.")
    private static let inflatedRateKey = ConfigKey(
        "client_inflated_rate", default: 16_384, atLeast: 1,
        "Bytes a second that compressed messages of one socket inflate to.")
    private static let inflatedBurstKey = ConfigKey(
        "client_inflated_burst", default: 262_144, atLeast: 1,
        "Bytes at once that compressed messages of one socket inflate to.")

    private static let meMessageSizeKey = ConfigKey(
        "me_message_size", default: 131_072, atLeast: 65_536, atMost: 1_000_000,
        "The largest message of a native client with a known identity, inflated, in bytes. The longest content fits.")
    private static let meEventRateKey = ConfigKey(
        "me_event_rate", default: 20, atLeast: 1, "Events of the client of one /me socket a second.")
    private static let meEventBurstKey = ConfigKey(
        "me_event_burst", default: 100, atLeast: 1, "Events of the client of one /me socket at once.")

    private static let startMemoryKey = ConfigKey(
        "me_start_memory", default: 33_554_432, atLeast: 0,
        "Bytes for the starts of /me sockets, which are kept for a minute for clients that come back. 0 keeps none.")

    static let entries = [
        rateKey.entry, burstKey.entry, addressRateKey.entry, addressBurstKey.entry, namelessShareKey.entry,
        namelessTimeoutKey.entry, userSocketsKey.entry, messageSizeKey.entry, frameRateKey.entry, frameBurstKey.entry,
        inflatedRateKey.entry, inflatedBurstKey.entry, meMessageSizeKey.entry, meEventRateKey.entry,
        meEventBurstKey.entry, startMemoryKey.entry,
    ]

    /// New sockets of the instance, and of one address.
    let handshakes, handshakesOfAddress: (rate: Double, burst: Double)
    /// A part of 1 of the connections.
    let namelessShare: Double
    let namelessTimeout: Duration
    let socketsOfUser: Int
    let messageSize: Int
    let rates: ReceiveRates
    /// The limits of a `/me` socket.
    let me: MeCallLimiter.Limits
    /// Bytes for the starts of `/me` sockets.
    let startMemory: Int

    init(_ config: Config) {
        handshakes = (Double(config[Self.rateKey]), Double(config[Self.burstKey]))
        handshakesOfAddress = (Double(config[Self.addressRateKey]), Double(config[Self.addressBurstKey]))
        namelessShare = Double(config[Self.namelessShareKey]) / 100
        namelessTimeout = config[Self.namelessTimeoutKey]
        socketsOfUser = config[Self.userSocketsKey]
        messageSize = config[Self.messageSizeKey]
        startMemory = config[Self.startMemoryKey]
        me = MeCallLimiter.Limits(
            rate: Double(config[Self.meEventRateKey]), burst: Double(config[Self.meEventBurstKey]),
            messageSize: config[Self.meMessageSizeKey])
        rates = ReceiveRates(
            frames: .init(perSecond: config[Self.frameRateKey], burst: config[Self.frameBurstKey]),
            inflatedBytes: .init(perSecond: config[Self.inflatedRateKey], burst: config[Self.inflatedBurstKey]))
    }

    /// The limits of a session.
    func apply(to engine: inout EngineSettings) {
        engine.maximumPayload = messageSize
        engine.rates = rates
    }
}
