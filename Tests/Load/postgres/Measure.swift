import Glibc
import TestSupport

/// The result of one run.
struct Measure {
    /// Queries per second.
    let rate: Double
    /// Microseconds of processor time per query, on each side.
    let client: Double
    let server: Double

    init(count: Int, elapsed: Double, since before: Processor, _ cluster: PostgresCluster) {
        let after = Processor(cluster)
        rate = Double(count) / elapsed
        client = (after.client - before.client) / Double(count) * 1e6
        server = (after.server - before.server) / Double(count) * 1e6
    }

    /// The processor seconds used so far: by this process and the programs that it has run, and by the server.
    struct Processor {
        let client: Double
        let server: Double

        init(_ cluster: PostgresCluster) {
            client = Self.used(RUSAGE_SELF) + Self.used(RUSAGE_CHILDREN)
            server = cluster.processorTime
        }

        private static func used(_ who: __rusage_who) -> Double {
            var usage = rusage()
            getrusage(__rusage_who_t(who.rawValue), &usage)
            return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        }
    }
}
