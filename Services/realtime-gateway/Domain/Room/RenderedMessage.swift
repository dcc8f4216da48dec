import Contract
import EngineIO
import SocketIO
import WebSocket
import Wire

/// A message as it goes to sockets, rendered when first needed and once for each form.
struct RenderedMessage {
    let message: RoomMessage
    private let pool: CompressionPool?
    private var packets: [(form: EventForm, packet: SharedPacket)] = []

    init(_ message: RoomMessage, compressingIn pool: CompressionPool?) {
        self.message = message
        self.pool = pool
    }

    /// The packet for the sockets of a form with clients of the profile.
    mutating func packet(for form: EventForm, _ profile: ClientProfile) -> SharedPacket {
        for known in packets where known.form == form { return known.packet }
        return render(form, profile)
    }

    /// The packet for clients of a form, rendered for its profile; nil without one.
    mutating func packet(
        for form: EventForm, _ profiles: [EventForm: ClientProfile]
    ) -> SharedPacket? {
        for known in packets where known.form == form { return known.packet }
        return profiles[form].map { render(form, $0) }
    }

    private mutating func render(_ form: EventForm, _ profile: ClientProfile) -> SharedPacket {
        let packet = SharedPacket(event(form, profile), compressingIn: pool)
        packets.append((form, packet))
        return packet
    }

    private func event(_ form: EventForm, _ profile: ClientProfile) -> SocketIOPacket {
        if form == .me { return MeEvent.message(message).packet(for: profile) }
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
