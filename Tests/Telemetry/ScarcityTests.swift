import EventLoop
import Glibc
import Telemetry
import TestSupport
import Testing

@Suite("The log and the metrics of a process without space on its disk, and without descriptors")
struct ScarcityTests {
    @Test("Lines that a full disk does not take are counted and reported later, and a torn line ends before the next")
    func fullDisk() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let folder = TemporaryFolder("maru-log")
            let path = folder.path + "/log"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
            let output = LogOutput(descriptor: descriptor)
            let log = Log(service: "test", to: output)
            // The file takes the beginning of the first line.
            let before = Self.allow(20, of: __rlimit_resource_t(RLIMIT_FSIZE.rawValue))
            for _ in 0..<3 { log.info("lost") }
            await output.flush()
            #expect(output.dropped == 3)
            log.info("lost")
            await output.flush()
            #expect(output.dropped == 4)
            _ = Self.allow(before, of: __rlimit_resource_t(RLIMIT_FSIZE.rawValue))
            log.info("found")
            await output.flush()
            let lines = try String(contentsOfFile: path).split(separator: "\n").map(String.init)
            try #require(lines.count == 3)
            #expect(lines[0].utf8.count == 20)
            #expect(lines[1].hasPrefix("{") && lines[1].contains("\"message\":\"found\""))
            #expect(lines[2] == "{\"level\":\"warning\",\"message\":\"lines of the log were dropped\",\"count\":4}")
            #expect(output.dropped == 4)
        }
    }

    @Test("A process without a free descriptor shows as many open ones as it may have")
    func descriptors() async throws {
        await #expect(processExitsWith: .success) {
            let metrics = MetricsRegistry(for: EventLoopGroup(count: 1))
            metrics.add(ProcessMetrics())
            // All descriptors below the lowest free one are in use.
            let free = dup(0)
            close(free)
            let before = Self.allow(rlim_t(free), of: __rlimit_resource_t(RLIMIT_NOFILE.rawValue))
            #expect(dup(0) == -1 && errno == EMFILE)
            let page = String(decoding: metrics.page(), as: UTF8.self)
            _ = Self.allow(before, of: __rlimit_resource_t(RLIMIT_NOFILE.rawValue))
            #expect(page.contains("\nprocess_open_fds \(Double(free))\n"))
            #expect(page.contains("\nprocess_max_fds \(Double(free))\n"))
        }
    }

    /// Sets a limit of the process, and returns the one before.
    private static func allow(_ limit: rlim_t, of resource: __rlimit_resource_t) -> rlim_t {
        var limits = rlimit()
        getrlimit(resource, &limits)
        let before = limits.rlim_cur
        limits.rlim_cur = limit
        setrlimit(resource, &limits)
        return before
    }
}
