public import Wire

/// A bot's answer that only the member that ran the command sees. It is sent to the member's clients and stored
/// nowhere.
public struct PrivateAnswer: Sendable, Equatable {
    /// The id of the run.
    public let run: String
    public let room: RoomID
    /// The root of the thread in which the command was run; nil outside of threads.
    public let thread: Int64?
    /// The name of the command.
    public let command: String
    public let bot: UserID
    /// Of the bot.
    public let nickname: String
    public let text: String

    public init(
        run: String, room: RoomID, thread: Int64?, command: String, bot: UserID, nickname: String, text: String
    ) {
        self.run = run
        self.room = room
        self.thread = thread
        self.command = command
        self.bot = bot
        self.nickname = nickname
        self.text = text
    }

    init?(_ json: JSONValue) {
        guard let run = json.string("run_id"), let room = json.room("room"), let command = json.string("command"),
            let bot: UserID = json.textID("user_id"), let nickname = json.string("nickname"),
            let text = json.string("text")
        else { return nil }
        self.init(
            run: run, room: room, thread: json.int64("thread"), command: command, bot: bot, nickname: nickname,
            text: text)
    }

    public func writeMembers(to json: inout JSONWriter) {
        json.field("run_id", run)
        json.field("room", room.description)
        if let thread { json.field("thread", thread) }
        json.field("command", command)
        json.field("user_id", bot.description)
        json.field("nickname", nickname)
        json.field("text", text)
    }

    /// The form of `writeMembers`.
    public static let members: [Schema.Member] = [
        .has("run_id", .digits), .has("room", .text(example: "channel-7")), .may("thread", .seq),
        .has("command", .text), .has("user_id", .id, "Of the bot."), .has("nickname", .text, "Of the bot."),
        .has("text", .text),
    ]
}
