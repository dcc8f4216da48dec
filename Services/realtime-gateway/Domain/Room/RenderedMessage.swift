import Contract
import EngineIO
import SocketIO
import WebSocket
import Wire

/// A message as it goes to sockets, rendered when first needed and once for each form.
struct RenderedMessage {
    let message: RoomMessage
    private let pool: CompressionPool?
    private var packets: [(form: ClientProfile.Form, packet: SharedPacket)] = []

    init(_ message: RoomMessage, compressingIn pool: CompressionPool?) {
        self.message = message
        self.pool = pool
    }

    /// The packet for clients of the profile's form.
    mutating func packet(for profile: ClientProfile) -> SharedPacket {
        for known in packets where known.form == profile.form { return known.packet }
        return render(for: profile)
    }

    /// The packet for clients of a form, rendered for its profile; nil without one.
    mutating func packet(
        for form: ClientProfile.Form, _ profiles: [ClientProfile.Form: ClientProfile]
    ) -> SharedPacket? {
        for known in packets where known.form == form { return known.packet }
        return profiles[form].map { render(for: $0) }
    }

    private mutating func render(for profile: ClientProfile) -> SharedPacket {
        let room = message.room
        let event = SocketIOPacket.event(Namespace.event(of: room), in: Namespace.name(of: room)) { json in
            message.write(to: &json, for: profile)
        }
        let packet = SharedPacket(event, compressingIn: pool)
        packets.append((profile.form, packet))
        return packet
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
