import Glibc
import TestSupport

/// What a process and its children have used, as the kernel counts it.
struct ProcessUse {
    /// Processor time of user and system, in microseconds.
    var processor: Double
    /// Anonymous resident memory in KiB.
    var memory: Int

    /// Reads it for `pid` and the processes that it has started, such as the workers of an nginx.
    static func of(_ pid: Int32) throws -> ProcessUse {
        var use = ProcessUse(processor: 0, memory: 0)
        let children = try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children").split(separator: " ")
        for process in [pid] + children.compactMap({ Int32($0) }) {
            let fields = try String(contentsOfFile: "/proc/\(process)/stat").split(separator: ")").last?.split(
                separator: " ")
            let ticks = (fields.flatMap { Double($0[11]) } ?? 0) + (fields.flatMap { Double($0[12]) } ?? 0)
            use.processor += ticks * 1_000_000 / Double(sysconf(Int32(_SC_CLK_TCK)))
            let status = try String(contentsOfFile: "/proc/\(process)/status").split(separator: "\n")
            let line = status.first { $0.hasPrefix("RssAnon:") }?.split(separator: " ")
            use.memory += line.flatMap { $0.count > 1 ? Int($0[1].drop { $0 == "\t" }) : nil } ?? 0
        }
        return use
    }
}
