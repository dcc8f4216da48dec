/// The outcome of one command or of commands that were sent together, for traces.
public struct CommandReport: Sendable {
    /// The name of the first command.
    public let name: String
    public let count: Int
    /// Whether a command failed.
    public let hasFailed: Bool
}

extension RedisCommand {
    /// The name, without any argument.
    var name: String {
        // `*3\r\n$7\r\nPUBLISH\r\n…`: the name is between the second and the third end of line.
        let lines = bytes.split(separator: 10, maxSplits: 3, omittingEmptySubsequences: false)
        return lines.count > 2 ? String(decoding: lines[2].dropLast(), as: UTF8.self) : ""
    }
}
