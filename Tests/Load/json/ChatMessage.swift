import Wire

/// The message of the measurement: the JSON that a client receives for a message with files.
struct ChatMessage: Codable, Equatable {
    struct User: Codable, Equatable {
        enum CodingKeys: String, CodingKey {
            case id = "user_id"
            case email, nickname, profileImage
        }

        var id: String
        var email: String
        var nickname: String
        var profileImage: String?
    }

    enum CodingKeys: String, CodingKey {
        case channelID = "channel_id"
        case chatID = "chat_id"
        case channelName, content, createdAt, files, user
    }

    var channelID: String
    var channelName: String
    var chatID: String
    var content: String
    var createdAt: String
    var files: [String]
    var user: User

    static let sample = ChatMessage(
        channelID: "1842",
        channelName: "백엔드 개발",
        chatID: "9041557",
        content: """
            오늘 배포는 저녁 7시에 진행합니다. 마이그레이션이 먼저 끝나야 하니 확인 부탁드려요 🙏 "로그"도 같이 봐 주세요.
            문제가 있으면 여기에 남겨 주세요!
            """,
        createdAt: "2024-08-06T10:26:40.120Z",
        files: ["/static/channelChats/1722940000120_1.jpg", "/static/channelChats/%EB%B3%B4%EA%B3%A0_2.pdf"],
        user: User(
            id: "311", email: "maru.kim@example.com", nickname: "김마루", profileImage: "/static/profiles/17198.png")
    )
}

extension ChatMessage: JSONWritable {
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("channel_id", channelID)
            json.field("channelName", channelName)
            json.field("chat_id", chatID)
            json.field("content", content)
            json.field("createdAt", createdAt)
            json.field("files", files)
            json.object("user") { json in
                json.field("user_id", user.id)
                json.field("email", user.email)
                json.field("nickname", user.nickname)
                json.field("profileImage", user.profileImage)
            }
        }
    }

    init?(_ json: JSONValue) {
        guard let channelID = json.string("channel_id"),
            let channelName = json.string("channelName"),
            let chatID = json.string("chat_id"),
            let content = json.string("content"),
            let createdAt = json.string("createdAt"),
            let files = json["files"]?.array(\.string),
            let user = json["user"],
            let userID = user.string("user_id"),
            let email = user.string("email"),
            let nickname = user.string("nickname")
        else { return nil }
        self.init(
            channelID: channelID, channelName: channelName, chatID: chatID, content: content, createdAt: createdAt,
            files: files,
            user: User(id: userID, email: email, nickname: nickname, profileImage: user.string("profileImage")))
    }
}
