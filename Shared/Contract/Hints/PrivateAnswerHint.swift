public import Wire

/// A bot has answered a command later, for one member alone.
///
/// chat-service publishes it when the bot uses the address of the run. Nothing repairs a lost one: the answer is stored nowhere.
public struct PrivateAnswerHint: Hint {
    public static let redisChannel = "private-answers"

    /// The member that ran the command.
    public let user: UserID
    public let answer: PrivateAnswer

    public init(user: UserID, answer: PrivateAnswer) {
        self.user = user
        self.answer = answer
    }

    public init?(_ json: JSONValue) {
        guard let user: UserID = json.textID("to"), let answer = PrivateAnswer(json) else { return nil }
        self.init(user: user, answer: answer)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("to", user.description)
            answer.writeMembers(to: &json)
        }
    }
}
