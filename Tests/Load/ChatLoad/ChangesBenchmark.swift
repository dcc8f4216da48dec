import LoadClient
import TestSupport

/// Reactions of 2,000 users to one message at 1,000 a second, and the peak rate of edits beside that of sends.
public struct ChangesBenchmark: Sendable {
    private let chat: LoadedChat
    private let seconds: Int

    private static let rate = 1000.0
    private static let maxWait = 50.0
    private static let maxEvents = 20.0
    private static let minEdits = 0.5

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
        let (editing, editCost) = try await Cost.of(chat) {
            try await fleet.run(for: .seconds(seconds)) { changes.editing() }
        }
        Report.print("\(Sends.users) connections", editing, of: "edits", editCost / editing.count)
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
        try verdicts.settle()
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
