/// The limits of commands.
struct CommandLimits: Sendable {
    /// Commands of one workspace.
    let ofWorkspace: Int
    /// The time-out of a call to a bot.
    let timeout: Duration
    /// How long a bot may answer by the address of a run.
    let answerTime: Duration
    /// Runs of one user.
    let runs: (rate: Double, burst: Double)
}
