import Glibc

/// The processor time of processes, in seconds.
struct ProcessTimes {
    let parent: pid_t
    let own: Double
    let ofEndedChildren: Double

    /// All processes of the machine.
    static func all() -> [pid_t: ProcessTimes] {
        var found: [pid_t: ProcessTimes] = [:]
        guard let folder = opendir("/proc") else { return found }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let process = pid_t(name) { found[process] = ProcessTimes(process) }
        }
        return found
    }

    /// nil if the process has ended.
    init?(_ process: pid_t) {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat") else { return nil }
        // The second field is the name in parentheses, which may contain spaces.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 14, let parent = pid_t(fields[1]) else { return nil }
        let ticks = fields[11...14].map { Double($0) ?? 0 }
        let perSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
        self.parent = parent
        own = (ticks[0] + ticks[1]) / perSecond
        ofEndedChildren = (ticks[2] + ticks[3]) / perSecond
    }
}
