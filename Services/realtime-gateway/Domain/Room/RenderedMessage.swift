import Contract
import EngineIO
import SocketIO
import WebSocket
import Wire

/// A message as it goes to sockets, rendered when first needed and once for each generation.
struct RenderedMessage {
    let message: RoomMessage
    private let pool: CompressionPool?
    private var packets: [(generation: ClientProfile.Generation, packet: SharedPacket)] = []

    init(_ message: RoomMessage, compressingIn pool: CompressionPool?) {
        self.message = message
        self.pool = pool
    }

    /// The packet for clients of the profile's generation.
    mutating func packet(for profile: ClientProfile) -> SharedPacket {
        for known in packets where known.generation == profile.generation { return known.packet }
        return render(for: profile)
    }

    /// The packet for clients of a generation, rendered for its profile; nil without one.
    mutating func packet(
        for generation: ClientProfile.Generation, _ profiles: [ClientProfile.Generation: ClientProfile]
    ) -> SharedPacket? {
        for known in packets where known.generation == generation { return known.packet }
        return profiles[generation].map { render(for: $0) }
    }

    private mutating func render(for profile: ClientProfile) -> SharedPacket {
        let room = message.room
        let event = SocketIOPacket.event(Namespace.event(of: room), in: Namespace.name(of: room)) { json in
            switch room.kind {
            case .channel:
                let view = ChatView(
                    channel: ChannelID(room.rawValue), channelName: message.name ?? "", message: message.body)
                json.view(view, for: profile)
            case .dm: json.view(DMView(room: DMID(room.rawValue), message: message.body), for: profile)
            }
        }
        let packet = SharedPacket(event, compressingIn: pool)
        packets.append((profile.generation, packet))
        return packet
    }
}
