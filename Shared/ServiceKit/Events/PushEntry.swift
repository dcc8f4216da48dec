public import Contract
public import Redis
internal import Wire

/// An entry of the stream `push`: one message or several that were committed together. Each has a field `id`,
/// `<room>:<seq>`, and a field `body`, its room event without text and files: those of a message that is deleted must not stay
/// in Redis and its append-only file.
public struct PushEntry {
    private var fields: [(name: String, value: any RedisArgument)] = []
    private var size = 0

    /// Bytes of messages at which an entry is full.
    private static let largestSize = 32 << 10

    public init() {}

    public var isEmpty: Bool { fields.isEmpty }
    public var isFull: Bool { size >= Self.largestSize }

    public mutating func add(_ message: RoomMessage) {
        let encoded = RoomEvent.message(message.withoutContent).encoded()
        fields += [("id", "\(message.room):\(message.body.seq)"), ("body", encoded)]
        size += encoded.count
    }

    /// The command that appends the entry to a stream of pushes.
    public func command(appendingTo stream: RedisKey) -> RedisCommand { .append(fields, toStream: stream) }

    /// Appends an entry without a message, in place of messages that have been deleted.
    public static func withoutMessages(appendingTo stream: RedisKey) -> RedisCommand {
        .append(["id": "none", "body": "{}"], toStream: stream)
    }

    /// The messages of an entry. A field that cannot be read is counted and skipped.
    public static func messages(
        of entry: RedisStreamEntry, counting unknown: UnknownMessages
    ) -> [RoomMessage] {
        var isMessage = true
        return entry.fields.compactMap { field in
            if field.name == "id" { isMessage = !field.value.elementsEqual("none".utf8) }
            guard field.name == "body", isMessage else { return nil }
            let json = try? JSONValue(parsing: field.value)
            guard case .message(let message)? = json.flatMap(RoomEvent.init) else {
                unknown.count(type: json?.string("type"), from: "push")
                return nil
            }
            return message
        }
    }
}
