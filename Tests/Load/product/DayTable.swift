import Glibc
import LoadClient
import TestSupport
import Wire

/// The costs of a simulated day, by hour, and those of the whole company that follow.
struct DayTable: Sendable {
    struct Row: Sendable {
        let hour: Int
        let online: Int
        let outcome: LoadOutcome
        let calls: Int
        let deliveries: Int
        let commits: Int
        /// Sockets that were closed from outside since the day began.
        let lost: Int
        let parts: [LoadResult.Part]

        var cores: Double { parts.reduce(0) { $0 + $1.processor } }
        var failures: Int { outcome.failures.values.reduce(0, +) }
        var bytes: Int { parts.reduce(0) { $0 + $1.anonymousBytes } }
    }

    let options: DayOptions
    var rows: [Row] = []
    /// Messages that were written, and the bytes by which the database grew.
    var messages = 0
    var bytes = 0

    init(_ options: DayOptions) { self.options = options }

    func printHead() {
        print(
            """
            \(options.share) of \(options.people) people, \(options.speed) simulated seconds in a second
            Rates are those of the simulation; divide them by \(options.speed) for the clock of the company.

            """)
        let names = [
            "online", "actions/s", "calls/s", "commits/s", "events/s", "p50 ms", "p99 ms", "cores", "MB", "errors",
        ]
        print(" hour" + columns(names))
        fflush(nil)
    }

    mutating func add(_ row: Row) {
        rows.append(row)
        func rate(_ count: Int) -> String { (Double(count) / row.outcome.seconds).tenths }
        let hour = (row.hour < 10 ? "0" : "") + "\(row.hour):00"
        print(
            hour
                + columns([
                    "\(row.online)", row.outcome.rate.tenths, rate(row.calls), rate(row.commits), rate(row.deliveries),
                    row.outcome.percentile(0.5).tenths, row.outcome.percentile(0.99).tenths,
                    "\(row.cores.rounded(toDigits: 2))", "\(row.bytes >> 20)", "\(row.failures)",
                ]))
        if row.failures > 0 { print("      \(row.outcome.failures)") }
        fflush(nil)
    }

    private func columns(_ texts: [String]) -> String {
        texts.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
    }

    /// Prints the costs of the day, part by part, and whether each hour met the limit.
    func verdict() -> Verdicts {
        var verdicts = Verdicts()
        guard let busiest = rows.max(by: { $0.cores < $1.cores }) else {
            verdicts.add("no hour was played", false)
            return verdicts
        }
        printDay(busiest)
        let slowest = rows.map { $0.outcome.percentile(0.99) }.max() ?? 0
        let failures = rows.reduce(0) { $0 + $1.failures }
        let lost = rows.last?.lost ?? 0
        verdicts.add(
            "\(rows.count) hours: p99 at most \(slowest.tenths) ms of \(options.limit.tenths), \(failures) errors, "
                + "\(lost) sockets lost", slowest <= options.limit && failures == 0 && lost == 0)
        return verdicts
    }

    /// The cores that the busiest hour takes at the company's own pace, for all of its people.
    private func cores(of row: Row) -> Double {
        row.cores / Double(options.speed) * Double(options.people) / Double(options.share)
    }

    private func printDay(_ busiest: Row) {
        let company = Double(options.people) / Double(options.share)
        let seconds = rows.reduce(0) { $0 + $1.cores * $1.outcome.seconds }
        print("")
        print("\(messages) messages were written; Postgres grew by \(bytes >> 20) MB")
        print("Processor seconds: \(seconds.tenths)")
        for (index, part) in busiest.parts.enumerated() {
            let time = rows.reduce(0) { $0 + $1.parts[index].processor * $1.outcome.seconds }
            print("    \(part.name) \(time.tenths), \(part.anonymousBytes >> 20) MB at the busiest hour")
        }
        print(
            "All \(options.people) people at the company's own pace: \(cores(of: busiest).rounded(toDigits: 2)) cores at "
                + "\(busiest.hour):00, \((seconds * company / 3600).tenths) core hours and "
                + "\((Double(bytes) * company / 1e9).tenths) GB of Postgres a day")
    }

    func write(to path: String) throws {
        try ResultFile.write(to: path) { json in
            json.field("people", options.people)
            json.field("share", options.share)
            json.field("speed", options.speed)
            json.field("messages", messages)
            json.field("database_bytes", bytes)
            json.array("hours") { json in
                for row in rows { json.object { write(row, to: &$0) } }
            }
        }
    }

    private func write(_ row: Row, to json: inout JSONWriter) {
        json.field("hour", row.hour)
        json.field("online", row.online)
        json.field("actions", row.outcome.count)
        json.field("calls", row.calls)
        json.field("commits", row.commits)
        json.field("events", row.deliveries)
        json.field("p50_ms", row.outcome.percentile(0.5).rounded(toDigits: 1))
        json.field("p99_ms", row.outcome.percentile(0.99).rounded(toDigits: 1))
        json.field("cores", row.cores.rounded(toDigits: 3))
        json.field("errors", row.failures)
    }
}
