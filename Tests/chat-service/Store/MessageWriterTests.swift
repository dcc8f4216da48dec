import Contract
import Postgres
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Writing messages")
struct MessageWriterTests {
    @Test("With 8 writers on two instances, seq has no gap and times rise by at least 2 ms")
    func noGaps() async throws {
        try await ChatDatabase.use(pools: 2) { database in
            let (writers, batches, rooms) = (8, 25, 3)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for batch in 0..<batches {
                            let messages = (0..<5).map { number in
                                PendingMessage.sample(
                                    "\(writer) \(batch) \(number)",
                                    room: RoomID(ChannelID(Int64((number + writer + batch) % rooms + 1))),
                                    author: Int64(writer + 1))
                            }
                            // The rooms' clocks run ahead, so overloaded messages are sent again, like a client does.
                            var left = messages
                            while !left.isEmpty {
                                let result = try await database.write(left, pool: writer % 2)
                                left = zip(left, result.outcomes).filter { $0.1 == .overloaded }.map(\.0)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let total = writers * batches * 5
            let faults = try await database.ask(
                """
                select count(*) from (
                    select seq - row_number() over (partition by workspace, room order by seq) as drift,
                        created_at - lag(created_at) over (partition by workspace, room order by seq) as step
                    from chat.message) as m
                where drift <> 0 or step < 2
                """)
            #expect(faults == "0")
            let count = try await database.ask(
                "select count(*), count(distinct content) from chat.message")
            #expect(count == "\(total)|\(total)")
            let heads = try await database.ask(
                """
                select count(*) from chat.room r
                where last_seq <> (select max(seq) from chat.message m where m.workspace = r.workspace and m.kind = r.kind and m.room = r.id)
                """)
            #expect(heads == "0")
        }
    }

    @Test("A batch has an outcome for each message in order, and one outbox row that lists the new ones")
    func outcomes() async throws {
        try await ChatDatabase.use { database in
            let first = try await database.write([.sample("a", clientID: "1"), .sample("b", clientID: "2")])
            guard case .written(let a) = first.outcomes[0], case .written(let b) = first.outcomes[1] else {
                Issue.record("not written: \(first.outcomes)")
                return
            }
            #expect([a.seq, b.seq] == [1, 2])
            #expect(b.createdAt.milliseconds - a.createdAt.milliseconds == 2)
            let second = try await database.write([
                .sample("other", clientID: "2"), .sample("a", clientID: "1"), .sample("c"),
                .sample("d", author: 2, clientID: "1"),
            ])
            #expect(second.outcomes[0] == .conflicting)
            #expect(second.outcomes[1] == .known(a))
            guard case .written(let c) = second.outcomes[2], case .written(let d) = second.outcomes[3] else {
                Issue.record("not written: \(second.outcomes)")
                return
            }
            #expect([c.seq, d.seq] == [3, 4])
            let third = try await database.write([.sample("b", clientID: "2")])
            #expect(third.outcomes == [.known(b)])
            #expect(third.outboxRow == nil)
            let rows = try await database.ask("select body from chat.outbox order by id")
            #expect(rows.filter { $0 != " " } == "[[1,7,1],[1,7,2]]\n[[1,7,3],[1,7,4]]")
        }
    }

    @Test("A repeated client_id returns the files of the first message")
    func knownFiles() async throws {
        try await ChatDatabase.use { database in
            let files = ["/static/channelChats/a_1.png", "/static/channelChats/b_2.png"]
            _ = try await database.write([.sample(clientID: "1", files: files)])
            let again = try await database.write([.sample(clientID: "1", files: ["/static/channelChats/c_3.png"])])
            guard case .known(let known) = again.outcomes[0] else {
                Issue.record("not known: \(again.outcomes)")
                return
            }
            #expect(known.files == files)
        }
    }

    @Test("Files and a client_id belong to their own message, also if the others of the batch have none")
    func ownFiles() async throws {
        try await ChatDatabase.use { database in
            let files = ["/static/channelChats/a_1.png", "/static/channelChats/b_2.png"]
            _ = try await database.write([.sample("a"), .sample("b", files: files), .sample("c")])
            _ = try await database.write([.sample("d"), .sample("e", clientID: "1"), .sample("f")])
            let mention = MessageMention.user(UserID(2), nickname: nil)
            _ = try await database.write([.sample("g"), .sample("h", files: files, mentions: [mention])])
            let rows = try await database.ask(
                """
                select content || cardinality(files) || coalesce(client_id, '-') || coalesce(length(digest), 0) || workspace
                from chat.message order by seq
                """)
            #expect(
                rows.split(separator: "\n")
                    == ["a0-03", "b2-03", "c0-03", "d0-03", "e0113", "f0-03", "g0-03", "h2-03"])
        }
    }

    @Test("A closed room refuses a message; other rooms of the batch accept theirs")
    func closed() async throws {
        try await ChatDatabase.use { database in
            _ = try await database.write([.sample("a", clientID: "1")])
            let head = try await database.run { pool in
                try await RoomStore(database: pool).close([RoomID(ChannelID(7))], of: WorkspaceID(3))
            }
            #expect(head.map(\.after) == [1])
            let result = try await database.write([.sample("b"), .sample("c", room: RoomID(DMID(7)))])
            #expect(result.outcomes[0] == .closed)
            guard case .written(let written) = result.outcomes[1] else {
                Issue.record("not written: \(result.outcomes)")
                return
            }
            #expect(written.seq == 1)
            let count = try await database.ask("select count(*) from chat.message where kind = 1")
            #expect(count == "1")
        }
    }

    @Test("A room with a clock a second ahead is overloaded until time catches up, and has no gap in seq")
    func overloaded() async throws {
        try await ChatDatabase.use { database in
            let now = Timestamp.now
            let full = try await database.write((0..<501).map { .sample("\($0)") }, at: now)
            #expect(full.outcomes.allSatisfy { if case .written = $0 { true } else { false } })
            let still = try await database.write([.sample("shed"), .sample("taken", room: RoomID(DMID(7)))], at: now)
            #expect(still.outcomes[0] == .overloaded)
            guard case .written = still.outcomes[1] else {
                Issue.record("not written: \(still.outcomes)")
                return
            }
            let none = try await database.write([.sample("shed")], at: now)
            #expect(none.outcomes == [.overloaded] && none.outboxRow == nil)
            let later = try await database.write([.sample("later")], at: now + .milliseconds(2))
            guard case .written(let last) = later.outcomes[0] else {
                Issue.record("not written: \(later.outcomes)")
                return
            }
            #expect(last.seq == 502)
            #expect(last.createdAt == now + .milliseconds(1002))
        }
    }

    @Test("A room takes messages after a clock that was an hour ahead is set right, in order")
    func setRight() async throws {
        try await ChatDatabase.use { database in
            let now = Timestamp.now
            let ahead = now + .seconds(3600)
            _ = try await database.write([.sample("ahead")], at: ahead)
            let result = try await database.write([.sample("right", clientID: "1"), .sample("again")], at: now)
            guard case .written(let right) = result.outcomes[0], case .written(let again) = result.outcomes[1] else {
                Issue.record("not written: \(result.outcomes)")
                return
            }
            #expect([right.seq, again.seq] == [2, 3])
            #expect(ahead < right.createdAt && right.createdAt < again.createdAt)
            #expect(again.createdAt <= ahead + .milliseconds(10))
        }
    }

    @Test("Times in a room rise even if the clock goes backwards")
    func backwards() async throws {
        try await ChatDatabase.use { database in
            let now = Timestamp.now
            _ = try await database.write([.sample("a")], at: now)
            let result = try await database.write([.sample("b")], at: now + .milliseconds(-500))
            guard case .written(let b) = result.outcomes[0] else {
                Issue.record("not written: \(result.outcomes)")
                return
            }
            #expect(b.createdAt == now + .milliseconds(2))
        }
    }

    @Test("A failed batch leaves no message, no outbox row and no gap in seq")
    func allOrNothing() async throws {
        try await ChatDatabase.use { database in
            _ = try await database.ask(
                "alter table chat.message add constraint planted check (content <> 'bad')")
            await #expect(throws: BatchFailure.self) { try await database.write([.sample("good"), .sample("bad")]) }
            let left = try await database.ask(
                "select (select count(*) from chat.message), (select count(*) from chat.outbox)")
            #expect(left == "0|0")
            let result = try await database.write([.sample("good")])
            guard case .written(let good) = result.outcomes[0] else {
                Issue.record("not written: \(result.outcomes)")
                return
            }
            #expect(good.seq == 1)
        }
    }

    @Test("A text that Postgres cannot store rejects its batch, so that the others are written", arguments: [nil, "x"])
    func unstorable(_ clientID: String?) async throws {
        try await ChatDatabase.use { database in
            do {
                _ = try await database.write([.sample("good"), .sample("a\u{0}b", clientID: clientID)])
                Issue.record("written")
            } catch let failure as BatchFailure {
                guard case .rejected = failure else {
                    Issue.record("not rejected: \(failure)")
                    return
                }
            }
        }
    }

    @Test("Concurrent sends with one client_id on two instances write one message")
    func sameName() async throws {
        try await ChatDatabase.use(pools: 2) { database in
            // The first write to a room would make the others wait.
            _ = try await database.write([.sample("before")])
            let outcomes = try await withThrowingTaskGroup(of: SendOutcome.self) { group in
                for turn in 0..<24 {
                    group.addTask { try await database.write([.sample(clientID: "x")], pool: turn % 2).outcomes[0] }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let written = outcomes.filter { if case .written = $0 { true } else { false } }
            let known = outcomes.filter { if case .known = $0 { true } else { false } }
            #expect(written.count == 1)
            #expect(known.count == 23)
            let count = try await database.ask("select count(*), max(seq) from chat.message")
            #expect(count == "2|2")
        }
    }
}
