import Contract
import Wire

/// A message as a device gets it: the notification, and data for the app.
struct PushMessage: Sendable, Equatable {
    let title: String
    private(set) var text: String
    /// Names and values for the app, all of them text.
    var data: [String: String]
    /// A device shows one notification for each name.
    let collapseID: String
    /// The root of the message's thread; nil for a message outside of threads.
    let thread: Int64?
    /// The unread messages of the user in all rooms, for the app's icon; nil for apps without the native API.
    var badge: Int?

    /// Bytes, as they are written in JSON, that fit beside everything else into a payload of 4 KiB.
    private static let longestTitle = 800
    private static let longestText = 1500

    /// - Parameters:
    ///   - message: in a DM the author is the reader's opponent.
    ///   - content: the text, which the message itself does not have on the stream of pushes.
    init(_ message: RoomMessage, content: String) {
        title = message.body.author.nickname.cut(toJSONBytes: Self.longestTitle)
        text = Self.text(of: content)
        collapseID = Self.collapseID(of: message)
        thread = message.body.traits?.thread?.root
        var data = ["workspace_id": message.workspace.description]
        if let channel = message.room.channel {
            data["type"] = "channel"
            data["channel_id"] = channel.description
        } else {
            data["type"] = "dm"
            data["opponent_id"] = message.body.author.id.description
        }
        self.data = data
    }

    /// The same with the text that the message has now.
    func with(content: String) -> PushMessage {
        var changed = self
        changed.text = Self.text(of: content)
        return changed
    }

    private static func text(of content: String) -> String {
        content.isEmpty ? "파일을 보냈습니다." : content.cut(toJSONBytes: longestText)
    }

    static func collapseID(of message: RoomMessage) -> String { "\(message.room):\(message.body.seq)" }

    /// The push as one device gets it: an app with the native API also learns the room, the message, its thread and the
    /// badge.
    func addressed(to push: DuePush) -> PushMessage {
        guard let badge = push.badge else { return self }
        var addressed = self
        addressed.badge = badge
        addressed.data["room"] = push.room.description
        addressed.data["seq"] = String(push.seq)
        addressed.data["badge"] = String(badge)
        if let thread { addressed.data["thread"] = String(thread) }
        return addressed
    }

    /// Reads what `encoded` writes; nil for anything else.
    init?(_ json: JSONValue) {
        guard let title = json["title"]?.string, let text = json["text"]?.string, let data = json["data"]?.members,
            let collapseID = json["collapse"]?.string
        else { return nil }
        self.title = title
        self.text = text
        self.data = Dictionary(data.map { ($0.name, $0.value.string ?? "") }) { _, last in last }
        self.collapseID = collapseID
        thread = json["thread"]?.int.map { Int64($0) }
    }

    /// As the table keeps it.
    func encoded() -> String {
        let bytes = JSONWriter.bytes { json in
            json.object { json in
                json.field("title", title)
                json.field("text", text)
                json.object("data") { json in writeData(to: &json) }
                json.field("collapse", collapseID)
                if let thread { json.field("thread", thread) }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The data as members of an object.
    func writeData(to json: inout JSONWriter) {
        for (name, value) in data.sorted(by: { $0.key < $1.key }) {
            json.key(escaping: name)
            json.value(value)
        }
    }
}

extension String {
    /// As many whole characters as fit into `limit` bytes of JSON, with an ellipsis where some do not.
    fileprivate func cut(toJSONBytes limit: Int) -> String {
        let ellipsis = "…"
        var size = 0
        var short = startIndex
        for index in indices {
            if size <= limit - ellipsis.utf8.count { short = index }
            size += self[index].utf8.reduce(0) { $0 + Self.lengthInJSON(of: $1) }
            if size > limit { return self[..<short] + ellipsis }
        }
        return self
    }

    /// Bytes; of those with a short escape as many as without it.
    private static func lengthInJSON(of byte: UInt8) -> Int {
        switch byte {
        case 0..<0x20: 6
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): 2
        default: 1
        }
    }
}
