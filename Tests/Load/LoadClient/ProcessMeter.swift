import Glibc

/// Measures the CPU time and memory of a process and its children.
public struct ProcessMeter: Sendable {
    public let pid: Int32

    public init(pid: Int32) { self.pid = pid }

    /// CPU time since the start in nanoseconds, in user and kernel mode, of all live threads and of the children that have
    /// ended.
    public var processorTime: UInt64 {
        family.reduce(0) { sum, pid in
            Self.entries(of: "/proc/\(pid)/task").reduce(sum + Self.endedChildren(of: pid)) { sum, task in
                let words = Self.text("/proc/\(pid)/task/\(task)/schedstat").split(separator: " ")
                return sum + (words.first.flatMap { UInt64($0) } ?? 0)
            }
        }
    }

    /// The time of a process's ended children, which the kernel counts in ticks.
    private static func endedChildren(of pid: Int32) -> UInt64 {
        // The name of the program may have spaces. After it, `cutime` and `cstime` are the 14th and 15th word.
        let words = text("/proc/\(pid)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 14 else { return 0 }
        let ticks = words[13...14].reduce(0) { $0 + (UInt64($1) ?? 0) }
        return ticks * (1_000_000_000 / UInt64(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// Resident memory in bytes.
    public var residentBytes: Int { status("VmRSS:") }

    /// Resident anonymous memory in bytes, which no file backs.
    public var anonymousBytes: Int { status("RssAnon:") }

    private func status(_ name: String) -> Int {
        family.reduce(0) { sum, pid in
            let line = Self.text("/proc/\(pid)/status").split(separator: "\n").first { $0.hasPrefix(name) }
            return sum + (line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1024
        }
    }

    private var family: [Int32] {
        var found = [pid]
        var next = 0
        while next < found.count {
            let children = Self.text("/proc/\(found[next])/task/\(found[next])/children")
            found += children.split(separator: " ").compactMap { Int32($0) }
            next += 1
        }
        return found
    }

    private static func entries(of folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16384)
        while case let count = read(file, &part, part.count), count > 0 { bytes += part[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
