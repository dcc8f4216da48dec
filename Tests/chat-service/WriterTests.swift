import Foundation
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Many writers", .serialized)
struct WriterTests {
    /// Messages of each of eight writers; 5,000 in a full run.
    private static let count = ProcessInfo.processInfo.environment["MARU_FULL"] == nil ? 150 : 5000

    @Test("With 8 writers on two instances, seq has no gap and no repeat")
    func noGaps() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            chat.peers.change { state in
                state.workspaces[3] = Set(1...8)
                for channel in [7, 8] as [Int64] { state.channels[channel]?.members = Set(1...8) }
            }
            let seqs = try await withThrowingTaskGroup(of: [Int64: [Int]].self) { group in
                for writer in 1...8 as ClosedRange<Int64> {
                    group.addTask { try await Self.write(writer, chat) }
                }
                return try await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
            }
            #expect(seqs.values.reduce(0) { $0 + $1.count } == 8 * Self.count)
            for (channel, acknowledged) in seqs {
                #expect(acknowledged.sorted() == Array(1...acknowledged.count), "channel \(channel)")
                let stored = try await chat.database.ask(
                    "select count(*), min(seq), max(seq), count(distinct id) from chat.message where room = \(channel)")
                #expect(stored == "\(acknowledged.count)|1|\(acknowledged.count)|\(acknowledged.count)")
            }
            let close = try await chat.database.ask(
                """
                select count(*) from (select created_at - lag(created_at) over (partition by room order by seq) as step
                    from chat.message) as m where step < 2
                """)
            #expect(close == "0")
        }
    }

    /// Sends the messages of one writer and returns the acknowledged seqs by channel, which must rise.
    private static func write(_ writer: Int64, _ chat: ChatHarness) async throws -> [Int64: [Int]] {
        var seqs: [Int64: [Int]] = [:]
        for number in 0..<count {
            let channel = Int64(number % 4 == 0 ? 8 : 7)
            let reply = try await chat.send(
                "\(writer) \(number)", user: writer, to: channel, on: Int(writer + Int64(number)) % 2)
            guard let seq = try reply.json["seq"]?.int else {
                throw NeverHappened(description: "a seq: \(reply.status) \(reply.text)")
            }
            if let last = seqs[channel]?.last { #expect(seq > last) }
            seqs[channel, default: []].append(seq)
        }
        return seqs
    }
}
