import Contract
import EventLoop
import SocketIO
import Wire

/// A message with its sending time, padded so that its event has 300 bytes.
struct TimedEvent {
    let message: RoomMessage

    /// The size of the event's WebSocket message in bytes.
    static let size = 300
    private static let mark = Array("sent:".utf8)

    /// - Parameter sentAt: nanoseconds of `EventLoop.preciseNow`.
    init(_ seq: Int64, in channel: ChannelID, sentAt: UInt64 = EventLoop.preciseNow, for profile: ClientProfile) {
        let bare = Self.message(seq, channel, Self.content(sentAt))
        let missing = max(0, Self.size - Self.text(bare, for: profile).count)
        message = Self.message(seq, channel, Self.content(sentAt) + String(repeating: "m", count: missing))
    }

    /// The content of a message sent at this time, padded to `size` bytes.
    static func content(_ sentAt: UInt64, size: Int = 0) -> String {
        let content = "sent:\(sentAt) "
        return content + String(repeating: "m", count: max(0, size - content.utf8.count))
    }

    private static func message(_ seq: Int64, _ channel: ChannelID, _ content: String) -> RoomMessage {
        // The first member of the room.
        let author = MemberView(
            id: UserID(channel.rawValue), email: "mina@maru.example", nickname: "Mina", profileImage: nil)
        let body = MessageBody(
            id: ChatID(1_000_000 + seq), seq: seq, content: content, createdAt: .now, files: [], author: author)
        return RoomMessage(
            room: RoomID(channel), workspace: RoomLayout.workspace, name: RoomLayout.name(of: channel), body: body,
            session: SessionID(1))
    }

    /// The object that clients receive.
    func view(for profile: ClientProfile) -> [UInt8] {
        JSONWriter.bytes { json in json.view(Self.view(of: message), for: profile) }
    }

    /// The packet that clients receive.
    func text(for profile: ClientProfile) -> [UInt8] { Self.text(message, for: profile) }

    private static func text(_ message: RoomMessage, for profile: ClientProfile) -> [UInt8] {
        let channel = message.room.channel!
        let packet = SocketIOPacket.event("channel", in: RoomLayout.namespace(of: channel)) { json in
            json.view(view(of: message), for: profile)
        }
        return [UInt8(ascii: "4")] + packet.text
    }

    private static func view(of message: RoomMessage) -> ChatView {
        ChatView(channel: message.room.channel!, channelName: message.name ?? "", message: message.body)
    }

    /// The sending time of the event in a packet; nil if it has none.
    static func sentAt(_ text: [UInt8]) -> UInt64? {
        guard let start = text.indices.first(where: { text[$0...].starts(with: mark) }) else { return nil }
        let digits = text[(start + mark.count)...].prefix { (0x30...0x39).contains($0) }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }
}
