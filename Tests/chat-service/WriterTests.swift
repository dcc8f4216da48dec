import Foundation
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Many writers", .serialized)
struct WriterTests {
    /// Messages of each of eight writers: 5,000 where time is no matter.
    private static let count = ProcessInfo.processInfo.environment["MARU_FULL"] == nil ? 150 : 5000

    @Test("seq is 1, 2, 3 … without gap or repeat, under 8 writers over two instances")
    func noGaps() async throws {
        try await ChatHouse.use(instances: 2) { house in
            house.peers.change { state in
                state.workspaces[3] = Set(1...8)
                for channel in [7, 8] as [Int64] { state.channels[channel]?.members = Set(1...8) }
            }
            let seqs = try await withThrowingTaskGroup(of: [Int64: [Int]].self) { group in
                for writer in 1...8 as ClosedRange<Int64> {
                    group.addTask { try await Self.write(writer, house) }
                }
                return try await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
            }
            #expect(seqs.values.reduce(0) { $0 + $1.count } == 8 * Self.count)
            for (channel, told) in seqs {
                #expect(told.sorted() == Array(1...told.count), "channel \(channel)")
                let stored = try await house.database.ask(
                    "select count(*), min(seq), max(seq), count(distinct id) from chat.message where room = \(channel)")
                #expect(stored == "\(told.count)|1|\(told.count)|\(told.count)")
            }
            let close = try await house.database.ask(
                """
                select count(*) from (select created_at - lag(created_at) over (partition by room order by seq) as step
                    from chat.message) as m where step < 2
                """)
            #expect(close == "0")
        }
    }

    /// The seqs that a writer was told, by channel; its own rise.
    private static func write(_ writer: Int64, _ house: ChatHouse) async throws -> [Int64: [Int]] {
        var seqs: [Int64: [Int]] = [:]
        for number in 0..<count {
            let channel = Int64(number % 4 == 0 ? 8 : 7)
            let reply = try await house.send(
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
