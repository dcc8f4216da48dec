import Contract
import Wire

/// The answer of a bot to a command.
struct CommandAnswer: Sendable, Equatable {
    enum Audience: String, Sendable {
        /// The member that ran the command. The answer is stored nowhere.
        case me
        /// The room: the answer is a message of the bot.
        case all
    }

    let text: String
    let audience: Audience

    /// - Parameter visible: `me` without one.
    init(text: String?, visible: String?) throws(Failure) {
        guard let text, !text.isEmpty else { throw .invalid("text is required.") }
        guard let audience = Audience(rawValue: visible ?? Audience.me.rawValue) else {
            throw .invalid("visible must be me or all.")
        }
        guard !text.utf8.contains(0) else { throw .invalid("text contains a NUL character.") }
        self.text = try SendRequest.checked(text)
        self.audience = audience
    }

    /// The answer in a reply to a call; nil if the bot answers later.
    init?(reply body: [UInt8]) throws(Failure) {
        guard !body.isEmpty else { return nil }
        let json = try? JSONValue(parsing: body)
        guard let json, json.members != nil else { throw .invalid("The answer must be a JSON object.") }
        try self.init(text: json.string("text"), visible: json["visible"].map { $0.string ?? "" })
    }
}
