import LoadClient
import TestSupport
import Wire

/// The results of all steps.
struct LoadResult: Sendable {
    /// The cost of a process.
    struct Part: Sendable {
        let name: String
        /// CPU time per second.
        let processor: Double
        let anonymousBytes: Int
    }

    /// The latency of the calls of one name, in milliseconds.
    struct CallTimes: Sendable {
        let name: String
        let count: Int
        let p50: Double
        let p99: Double
    }

    /// The deletion of an account between the first two steps.
    struct Deletion: Sendable {
        /// The HTTP status of the call.
        let status: Int
        /// Seconds until everything was erased; nil if that took too long.
        let erasureTime: Double?
        let messagesLeft: Int
    }

    /// The figures for docs/capacity.md.
    struct Costs: Sendable {
        /// CPU time of all processes of the product for a call that reads, in microseconds, without that of its idle time.
        let read: Double
        /// The parts of it by process.
        let parts: [(name: String, read: Double)]
        /// Anonymous memory of a backend of Postgres after the load: the mean, in bytes.
        let connectionBytes: Int
        let connections: Int

        func printRows() {
            let shares = parts.map { "\($0.name) \($0.read.tenths)" }.joined(separator: ", ")
            print("a call that reads: \(read.tenths) µs of CPU: \(shares)")
            print("a connection of Postgres: \(connectionBytes) bytes of anonymous memory, of \(connections)")
        }
    }

    let options: LoadOptions
    var costs: Costs?
    var steps: [Step] = []
    var deletion: Deletion?

    init(_ options: LoadOptions) { self.options = options }

    /// Whether the first step met the limit without errors and with all sockets open.
    func verdict() -> Verdicts {
        var verdicts = Verdicts()
        guard let first = steps.first else {
            verdicts.add("no step ran", false)
            return verdicts
        }
        verdicts.add(
            "\(options.users) active users beside \(options.idle) idle sockets: p99 \(first.p99.tenths) ms of "
                + "\(options.limit.tenths), \(first.failures) errors, \(first.sockets) sockets open",
            first.isMet(at: options.limit, sockets: options.idle))
        if let deletion, steps.count == 3 { add(deletion, to: &verdicts) }
        return verdicts
    }

    /// Whether the product's calls hardly noticed the deletion, and whether it was complete in time.
    private func add(_ deletion: Deletion, to verdicts: inout Verdicts) {
        let (before, during, after) = (steps[0], steps[1], steps[2])
        verdicts.add(
            "while \(options.deletion ?? 0) messages in \(DeletedAccount.rooms) rooms were deleted: p99 "
                + "\(during.typicalP99.tenths) ms, \(before.typicalP99.tenths) before, \(after.typicalP99.tenths) after "
                + "(medians of slices); at most a tenth more than before",
            during.typicalP99 <= before.typicalP99 * 1.1 && during.failures == 0)
        let time = deletion.erasureTime.map { "\($0.tenths) s" } ?? "no time"
        verdicts.add(
            "the account was erased in \(time) of \(DeletedAccount.limit), \(deletion.messagesLeft) messages are left, "
                + "the call answered \(deletion.status)",
            deletion.status == 200 && deletion.messagesLeft == 0
                && deletion.erasureTime.map { $0 <= Double(DeletedAccount.limit) } == true)
    }

    func write(to path: String) throws {
        try ResultFile.write(to: path) { json in
            json.field("users", options.users)
            json.field("idle", options.idle)
            json.field("seconds", options.seconds)
            if let deletion {
                json.field("deleted_messages", options.deletion ?? 0)
                json.field("erasure_seconds", deletion.erasureTime?.rounded(toDigits: 1) ?? -1)
            }
            if let costs {
                json.field("read_microseconds", costs.read.rounded(toDigits: 1))
                json.field("connection_bytes", costs.connectionBytes)
                json.field("connections", costs.connections)
            }
            json.array("steps") { json in for step in steps { json.object { step.write(to: &$0) } } }
        }
    }
}

extension Double {
    func rounded(toDigits digits: Int) -> Double {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        return (self * scale).rounded() / scale
    }

    /// Formatted with one decimal.
    var tenths: String {
        let tenths = Int((self * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
