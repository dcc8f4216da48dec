/// The limits of the processes that make previews of pictures.
public struct PreviewLimits: Sendable {
    /// Processes at the same time; 0 makes no previews.
    let processes: Int
    /// Processor time of a process; whole seconds count.
    let time: Duration
    /// Bytes of a process's address space.
    let memory: Int

    public init(processes: Int, time: Duration, memory: Int) {
        self.processes = processes
        self.time = time
        self.memory = memory
    }

    /// A busy machine gives a process its processor time later.
    private static let realTimeFactor: Int64 = 10

    /// The arguments of the program.
    var arguments: [String] {
        let seconds = max(1, time.components.seconds)
        return PreviewSize.allCases.map(\.pixels.description)
            + [seconds.description, (seconds * Self.realTimeFactor).description, memory.description]
    }
}
