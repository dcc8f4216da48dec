import LoadClient
import TestSupport

/// Reactions of 2,000 users to one message at 1,000 a second, the peak rate of edits beside that of sends, and the cost of a
/// resumption beside that of a history.
public struct ChangesBenchmark: Sendable {
    private let chat: LoadedChat
    private let seconds: Int

    private static let rate = 1000.0
    private static let maxWait = 50.0
    private static let maxEvents = 20.0
    private static let minEdits = 0.5
    private static let maxResumption = 2.0

    /// Starts the service, runs the benchmark and prints the results.
    ///
    /// - Parameter seconds: the duration of each part.
    public static func run(seconds: Int) async throws {
        try await LoadedChat().lent { chat in try await ChangesBenchmark(chat: chat, seconds: seconds).run() }
    }

    private func run() async throws {
        let (changes, sends) = (Changes(chat.peers), Sends(chat.peers))
        let fleet = Fleet(Sends.users, to: chat.service.publicPort)
        let one = Fleet(1, to: chat.service.publicPort)
        _ = try await one.run(for: .milliseconds(1), rate: 1000) { changes.announcement() }
        // One journey for each message.
        _ = try await one.run(for: .seconds(2), rate: Double(Changes.edited) / 2) { changes.preparation() }
        var verdicts = Verdicts()

        let events = try Events(chat)
        let batches = try await chat.batches()
        let (reacting, cost) = try await Cost.of(chat) {
            try await fleet.run(for: .seconds(seconds), rate: Self.rate) { changes.reacting() }
        }
        Report.print("\(Changes.users) users, one message", reacting, of: "reactions", cost / reacting.count)
        let size = Double(reacting.count) / Double(max(1, try await chat.batches() - batches))
        let rate = Double(try events.count()) * reacting.rate / Double(max(1, reacting.count))
        print("    \(Report.tenths(size)) reactions a commit, \(Report.tenths(rate)) events a second")

        let (sending, sendCost) = try await Cost.of(chat) {
            try await fleet.run(for: .seconds(seconds)) { sends.journey() }
        }
        Report.print("\(Sends.users) connections", sending, of: "sends", sendCost / sending.count)
        // Postgres has the statistics of an hour's messages within a minute, and plans anew: the sends took seconds.
        try await chat.database.run(sql: "analyze")
        let (editing, editCost) = try await Cost.of(chat) {
            try await fleet.run(for: .seconds(seconds)) { changes.editing() }
        }
        Report.print("\(Sends.users) connections", editing, of: "edits", editCost / editing.count)
        let (time, processor) = try await resumptions(one)
        print("")

        let wait = reacting.percentile(0.99)
        verdicts.add(
            "p99 of reactions: \(Report.tenths(wait)) ms, under \(Int(Self.maxWait))",
            wait < Self.maxWait && reacting.failures.isEmpty)
        verdicts.add(
            "events a second: \(Report.tenths(rate)), at most \(Int(Self.maxEvents))",
            rate > 0 && rate <= Self.maxEvents)
        let ratio = editing.rate / sending.rate
        verdicts.add(
            "edits to sends: \(Report.hundredths(ratio)), at least \(Self.minEdits)",
            ratio >= Self.minEdits && editing.failures.isEmpty)
        for (what, ratio) in [("time", time), ("CPU", processor)] {
            verdicts.add(
                "\(what) of a resumption to that of a history: \(Report.hundredths(ratio)), at most "
                    + "\(Int(Self.maxResumption))", ratio > 0 && ratio <= Self.maxResumption)
        }
        try verdicts.settle()
    }

    /// The median time and the CPU time of a resumption, as multiples of those of a history with as many messages.
    private func resumptions(_ one: Fleet) async throws -> (time: Double, cost: Double) {
        try await Resumptions.prepare(chat)
        let resumptions = Resumptions(chat.peers)
        // A first round fills the caches.
        _ = try await one.run(for: .seconds(1)) { resumptions.resuming() }
        let (reading, readCost) = try await Cost.of(chat) {
            try await one.run(for: .seconds(seconds)) { resumptions.reading() }
        }
        Report.print("\(Resumptions.messages) messages", reading, of: "histories", readCost / reading.count)
        let (resuming, resumeCost) = try await Cost.of(chat) {
            try await one.run(for: .seconds(seconds)) { resumptions.resuming() }
        }
        Report.print(
            "\(Resumptions.messages) messages and \(Resumptions.changes) changes", resuming, of: "resumptions",
            resumeCost / resuming.count)
        guard reading.failures.isEmpty, resuming.failures.isEmpty else { return (0, 0) }
        let (mine, plain) = (resumeCost / resuming.count, readCost / reading.count)
        return (
            resuming.percentile(0.5) / reading.percentile(0.5),
            (mine.service + mine.database) / (plain.service + plain.database)
        )
    }

    /// Counts the events of the room with the announcement, as a gateway receives them.
    private struct Events {
        private let connection: RawConnection
        private let port: UInt16

        init(_ chat: LoadedChat) throws {
            port = chat.service.redis.port
            connection = try RawConnection(port: port)
            try connection.send("SUBSCRIBE room:channel-1\r\n")
            _ = try connection.receiveRedisReply()
        }

        /// The events so far.
        func count() throws -> Int {
            let other = try RawConnection(port: port)
            try other.send("PUBLISH room:channel-1 mark\r\n")
            _ = try other.receive(until: "\r\n")
            var count = 0
            while try connection.receiveRedisReply().last != "mark" { count += 1 }
            return count
        }
    }
}
