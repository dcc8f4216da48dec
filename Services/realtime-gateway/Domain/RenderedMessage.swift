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

    /// The packet for clients of this member's generation.
    mutating func packet(for member: RoomMember) -> SharedPacket {
        packet(for: member.generation, member.identity.profile)
    }

    /// The packet for clients of a generation, rendered for the first profile of it.
    mutating func packet(
        for generation: ClientProfile.Generation, _ profile: @autoclosure () -> ClientProfile
    ) -> SharedPacket {
        for known in packets where known.generation == generation { return known.packet }
        return render(for: profile())
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
