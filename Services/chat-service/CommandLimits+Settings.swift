import ServiceKit

/// The settings of commands.
extension CommandLimits {
    private static let commandsKey = ConfigKey(
        "workspace_commands", default: 100, atLeast: 1, atMost: 200, "The largest number of commands of a workspace.")
    private static let timeoutKey = ConfigKey(
        "command_timeout", default: Duration.seconds(3), atLeast: .milliseconds(100), atMost: .seconds(30),
        "The time-out of a call to the bot of a command.")
    private static let answerTimeKey = ConfigKey(
        "command_answer_time", default: Duration.seconds(1800), atLeast: .seconds(1), atMost: .seconds(86_400),
        "How long a bot may answer a command by the address of the run.")
    private static let rateKey = ConfigKey(
        "command_rate", default: 1, atLeast: 1,
        "Commands that one user runs in a second. Each instance of the service counts those that it receives.")
    private static let burstKey = ConfigKey(
        "command_burst", default: 20, atLeast: 1, "Commands that one user runs at once.")

    static let settings = [
        commandsKey.entry, timeoutKey.entry, answerTimeKey.entry, rateKey.entry, burstKey.entry,
    ]

    init(_ config: Config) {
        self.init(
            ofWorkspace: config[Self.commandsKey], timeout: config[Self.timeoutKey],
            answerTime: config[Self.answerTimeKey],
            runs: (Double(config[Self.rateKey]), Double(config[Self.burstKey])))
    }
}
