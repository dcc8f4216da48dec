import Contract
import Wire

/// What a device is shown and told of a message.
struct PushMessage: Sendable, Equatable {
    let title: String
    let text: String
    /// Names and values for the app, all of them text.
    let data: [String: String]
    /// What is sent twice under the same name is shown once.
    let collapseID: String

    /// Bytes of text that fit beside everything else into a payload of 4 KiB.
    private static let longestText = 1500

    /// - Parameter message: in a DM the author is the reader's opponent.
    init(_ message: RoomMessage) {
        title = message.body.author.nickname
        let content = message.body.content
        text = content.isEmpty ? "파일을 보냈습니다." : content.cut(toBytes: Self.longestText)
        collapseID = "\(message.room):\(message.body.seq)"
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

    /// Reads what `encoded` writes; nil for anything else.
    init?(_ json: JSONValue) {
        guard let title = json["title"]?.string, let text = json["text"]?.string, let data = json["data"]?.members,
            let collapseID = json["collapse"]?.string
        else { return nil }
        self.title = title
        self.text = text
        self.data = Dictionary(data.map { ($0.name, $0.value.string ?? "") }) { _, last in last }
        self.collapseID = collapseID
    }

    /// As the table keeps it.
    func encoded() -> String {
        let bytes = JSONWriter.bytes { json in
            json.object { json in
                json.field("title", title)
                json.field("text", text)
                json.object("data") { json in writeData(to: &json) }
                json.field("collapse", collapseID)
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
    /// As many whole characters as fit into `limit` bytes, with an ellipsis where some do not.
    fileprivate func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var size = 0
        var cut = ""
        for character in self {
            size += character.utf8.count
            if size > limit - 3 { break }
            cut.append(character)
        }
        return cut + "…"
    }
}
