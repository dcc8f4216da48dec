import Contract

/// The state of a run when its caller gets a reply.
struct CommandOutcome: Sendable {
    let run: CommandRunID
    let answer: Answer

    enum Answer: Sendable {
        /// For the caller alone.
        case whispered(PrivateAnswer)
        /// A message of the bot, in the room of the run.
        case said(MessageBody, MessageTarget)
        /// The bot answers later, or has answered by the address of the run already.
        case waiting
    }
}
