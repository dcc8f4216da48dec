import Contract

/// Messages that a socket is sent at once while it catches up.
struct Slice: Equatable {
    private(set) var messages: [RoomMessage] = []
    /// The seq up to which it goes.
    private(set) var end: Int64
    /// Whether it holds all messages that it was made of.
    let isAll: Bool

    /// Bytes after which no further message is added.
    static let size = 256 * 1024

    /// The first of the messages, as many as fit.
    ///
    /// - Parameters:
    ///   - cursor: they are the messages after it.
    ///   - end: the seq up to which there are no other messages; nil for that of the last one.
    init(_ messages: [RoomMessage], after cursor: Int64, through end: Int64? = nil) {
        var size = 0
        for message in messages where size < Self.size {
            self.messages.append(message)
            size += message.largestSize
        }
        isAll = self.messages.count == messages.count
        self.end = self.messages.last?.body.seq ?? cursor
        // A seq without a message no longer exists: nothing waits for it.
        if isAll, let end { self.end = max(self.end, end) }
    }
}

extension RoomMessage {
    /// Bytes that the message takes at most when it is rendered.
    var largestSize: Int {
        // The names of members, ids and times, in any generation.
        let frame = 1024
        let files = body.files.reduce(0) { $0 + 2 * $1.utf8.count + 3 }
        let author = 6 * (body.author.nickname.utf8.count + body.author.email.utf8.count)
        // Shipped apps are sent nicknames in the place of ids.
        let content = max(Self.size(of: body.content), Self.size(of: body.plainContent))
        return frame + files + author + content + 6 * (name?.utf8.count ?? 0) + body.reactionBytes + body.mentionBytes
    }

    /// Bytes of a text in JSON.
    private static func size(of text: String) -> Int {
        text.utf8.reduce(0) { size, byte in
            switch byte {
            case ..<0x20: size + 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): size + 2
            default: size + 1
            }
        }
    }
}
