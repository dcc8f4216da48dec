internal import EventLoop
internal import Glibc
internal import HTTP
internal import Synchronization
internal import Telemetry

/// The largest number of client connections, and a report of those that are refused.
final class ConnectionBudget: Sendable {
    /// The connections that may be open at once: those of the setting, or fewer if the limit of open files is low.
    let limit: Int
    private let log: Log
    private let counters: [ConnectionRefusal: Counter]
    private let report = Mutex(Report())

    /// Refusals since the last log line.
    private struct Report {
        var count = 0
        var loggedAt: UInt64?
    }

    /// The shortest time between two log lines, in nanoseconds.
    private static let logInterval: UInt64 = 10_000_000_000
    /// Descriptors that client connections leave free, for the stores, other services and files.
    private static let mostReserved = 1024

    /// - Parameters:
    ///   - wanted: the setting.
    ///   - openFiles: the process's limit of file descriptors.
    init(wanted: Int, openFiles: Int = ConnectionBudget.openFiles, metrics: MetricsRegistry, log: Log) {
        limit = min(wanted, openFiles - min(Self.mostReserved, openFiles / 4))
        self.log = log
        counters = Dictionary(
            uniqueKeysWithValues: ConnectionRefusal.allCases.map { reason in
                let counter = metrics.counter(
                    "maru_connections_refused_total", "Client connections that were refused.",
                    labels: ["reason": reason.rawValue])
                return (reason, counter)
            })
        if limit < wanted {
            log.info(
                "fewer connections than configured, because the limit of open files is low",
                ["connections": .count(limit), "configured": .count(wanted), "open_files": .count(openFiles)])
        }
    }

    /// Counts a refused connection; a log line reports the number every few seconds.
    ///
    /// - Parameter now: may be earlier than that of a previous call, because each loop has its own clock.
    func refused(_ reason: ConnectionRefusal, now: UInt64 = EventLoop.preciseNow) {
        counters[reason]?.increment()
        let count = report.withLock { report -> Int? in
            report.count += 1
            if let loggedAt = report.loggedAt, now < loggedAt + Self.logInterval { return nil }
            defer { report = Report(count: 0, loggedAt: now) }
            return report.count
        }
        guard let count else { return }
        log.warning(
            "client connections are refused",
            ["reason": .name(reason.rawValue), "count": .count(count), "limit": .count(limit)])
    }

    /// Adds the number of open connections to the metrics.
    func count(_ server: Server, in metrics: MetricsRegistry) {
        metrics.add(OpenConnections(server: server, limit: limit))
    }

    private struct OpenConnections: MetricsSource {
        let server: Server
        let limit: Int

        func write(to page: inout MetricsPage) {
            page.begin("maru_connections", .gauge, "Open client connections, sockets included.")
            page.value(Double(server.connectionCount))
            page.begin("maru_connections_limit", .gauge, "Client connections that may be open at once.")
            page.value(Double(limit))
        }
    }

    static var openFiles: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(min(limit.rlim_cur, rlim_t(Int32.max)))
    }
}
