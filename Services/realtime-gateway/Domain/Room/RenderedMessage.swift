import Contract
import EngineIO
import SocketIO
import WebSocket
import Wire

/// A message as it goes to sockets, rendered when first needed and once for each form and for its author's
/// blockers.
struct RenderedMessage {
    let message: RoomMessage
    private let pool: CompressionPool?
    private var packets: [(variant: EventVariant, packet: SharedPacket)] = []

    init(_ message: RoomMessage, compressingIn pool: CompressionPool?) {
        self.message = message
        self.pool = pool
    }

    /// The packet for the sockets of a form with clients of the profile.
    mutating func packet(
        for form: EventForm, _ profile: ClientProfile, isBlocked: Bool = false
    ) -> SharedPacket {
        let variant = EventVariant(form: form, isBlocked: isBlocked)
        for known in packets where known.variant == variant { return known.packet }
        return render(variant, profile)
    }

    /// The packet for clients of a variant, rendered for the profile of its form; nil without one.
    mutating func packet(
        for variant: EventVariant, _ profiles: [EventForm: ClientProfile]
    ) -> SharedPacket? {
        for known in packets where known.variant == variant { return known.packet }
        return profiles[variant.form].map { render(variant, $0) }
    }

    private mutating func render(_ variant: EventVariant, _ profile: ClientProfile) -> SharedPacket {
        let packet = SharedPacket(event(variant, profile), compressingIn: pool)
        packets.append((variant, packet))
        return packet
    }

    private func event(_ variant: EventVariant, _ profile: ClientProfile) -> SocketIOPacket {
        let message = variant.isBlocked ? message.blocked() : message
        if variant.form == .me { return MeEvent.message(message).packet(for: profile) }
        let room = message.room
        return SocketIOPacket.event(Namespace.event(of: room), in: Namespace.name(of: room)) { json in
            message.write(to: &json, for: profile)
        }
    }
}

extension RoomMessage {
    /// Writes the message as clients of a profile see it.
    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        switch room.kind {
        case .channel:
            let view = ChatView(channel: ChannelID(room.rawValue), channelName: name ?? "", message: body)
            json.view(view, for: profile)
        case .dm: json.view(DMView(room: DMID(room.rawValue), message: body), for: profile)
        }
    }
}
