/// The limits of the processes that make previews of pictures.
public struct PreviewLimits: Sendable {
    /// Processes at the same time; 0 makes no previews.
    let processes: Int
    /// Processor time of a process; whole seconds count.
    let time: Duration
    /// Bytes of a process's address space.
    let memory: Int

    private static let processesKey = ConfigKey(
        "preview_processes", default: 2, atLeast: 0, atMost: 64,
        "Processes that make previews of pictures at the same time. 0 makes no previews.")
    private static let timeKey = ConfigKey(
        "preview_time", default: Duration.seconds(1), atLeast: .seconds(1), atMost: .seconds(60),
        "The processor time, in whole seconds, after which the process of a picture ends without previews.")
    private static let memoryKey = ConfigKey(
        "preview_memory", default: ByteCount(640 << 20),
        "The address space of a process that makes previews, libraries included.")

    /// The settings of the limits.
    public static let entries = [processesKey.entry, timeKey.entry, memoryKey.entry]

    public init(_ config: Config) {
        self.init(
            processes: config[Self.processesKey], time: config[Self.timeKey], memory: config[Self.memoryKey].bytes)
    }

    init(processes: Int, time: Duration, memory: Int) {
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
