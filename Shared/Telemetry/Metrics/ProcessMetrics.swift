internal import Glibc
public import Wire

/// The resources of the process: memory, processor time, descriptors, threads.
public struct ProcessMetrics: MetricsSource {
    private let started: Timestamp

    /// - Parameter started: the start time of the process.
    public init(started: Timestamp = .now) { self.started = started }

    public func write(to page: inout MetricsPage) {
        let status = ProcessStatus.read()
        page.begin("process_resident_memory_bytes", .gauge, "Resident memory.")
        page.value(status.bytes("VmRSS:"))
        page.begin("process_anonymous_memory_bytes", .gauge, "Resident memory of its own, without mapped files.")
        page.value(status.bytes("RssAnon:"))
        page.begin("process_memory_limit_bytes", .gauge, "Memory that the control group, or else the machine, has.")
        page.value(MemoryLimit.bytes)
        page.begin("process_virtual_memory_bytes", .gauge, "Address space.")
        page.value(status.bytes("VmSize:"))
        page.begin("process_threads", .gauge, "Threads.")
        page.value(status.number("Threads:"))
        page.begin("process_cpu_seconds_total", .counter, "User and system time.")
        page.value(Self.processorSeconds)
        page.begin("process_open_fds", .gauge, "Open descriptors.")
        page.value(Self.openDescriptors)
        page.begin("process_max_fds", .gauge, "Descriptors that may be open.")
        page.value(Self.descriptorLimit)
        page.begin("process_start_time_seconds", .gauge, "When the process began, in seconds since 1970.")
        page.value(Double(started.milliseconds) / 1000)
    }

    private static var processorSeconds: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return Double(seconds) + Double(microseconds) / 1e6
    }

    private static var descriptorLimit: Double {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Double(limit.rlim_cur)
    }

    private static var openDescriptors: Double {
        // Without a free one the folder cannot be opened.
        guard let folder = opendir("/proc/self/fd") else { return errno == EMFILE ? descriptorLimit : 0 }
        defer { closedir(folder) }
        // `.`, `..` and the folder itself are not counted.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return Double(count)
    }
}

/// The lines of /proc/self/status.
private struct ProcessStatus {
    private let lines: [Substring]

    static func read() -> ProcessStatus {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = Glibc.read(file, &bytes, bytes.count)
        return ProcessStatus(lines: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n"))
    }

    /// The number of a line such as `Threads:	4`.
    func number(_ name: String) -> Double {
        guard let line = lines.first(where: { $0.hasPrefix(name) }) else { return 0 }
        return Double(line.dropFirst(name.count).filter(\.isNumber)) ?? 0
    }

    /// The number of a line such as `VmRSS:	2048 kB`.
    func bytes(_ name: String) -> Double { number(name) * 1024 }
}
