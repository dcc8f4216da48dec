public import Wire

/// The deletion of an account: the body of the fact `user.deleted`.
///
/// auth-service publishes it again until every service has erased its part. A last round follows a quarter of an hour
/// later, for calls that were under way when the account ended. A consumer therefore erases the same user several times.
public struct UserDeletion: WireMessage {
    public let user: UserID
    /// 1, 2 … The acknowledgement carries it back.
    public let round: Int
    /// Whether the user's messages go too. Otherwise they stay, and their author is a profile without a person.
    public let deletesMessages: Bool

    public init(user: UserID, round: Int, deletesMessages: Bool) {
        self.user = user
        self.round = round
        self.deletesMessages = deletesMessages
    }

    public init?(_ json: JSONValue) {
        guard let user: UserID = json.textID("user_id"), let round = json.int("round"),
            let deletesMessages = json["messages"]?.bool
        else { return nil }
        self.init(user: user, round: round, deletesMessages: deletesMessages)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("user_id", user.description)
            json.field("round", round)
            json.field("messages", deletesMessages)
        }
    }
}
