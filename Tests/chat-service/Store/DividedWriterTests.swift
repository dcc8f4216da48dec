import Contract
import Postgres
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Batches of one workspace", .serialized)
struct DividedWriterTests {
    /// Everything that a batch leaves, without ids.
    private static let rows = """
        set search_path = chat;
        select workspace, kind, id, name, last_seq, last_at, rev, has_asides, is_closed from room order by 2, 3;
        select workspace, kind, room, seq, author, session, content, files, created_at, client_id, digest, thread, is_aside,
            mentions, is_scheduled, rev from message order by 2, 3, 4;
        select workspace, kind, room, seq, root, is_aside from reply order by 2, 3, 4;
        select workspace, kind, room, seq, user_id from mention order by 2, 3, 4, 5;
        select workspace, kind, room, root, count, last_seq, last_at, users from thread order by 2, 3, 4;
        select workspace, kind, room, seq, rev, changed_at from message_change order by 2, 3, 4;
        select workspace, user_id, kind, room, root, is_following, read_seq from thread_follower order by 2, 3, 4, 5;
        select type, body from outbox order by type, body;
        """

    private func batches() -> [[PendingMessage]] {
        let other = RoomID(ChannelID(8))
        let mention = MessageMention.user(UserID(2), nickname: nil)
        return [
            [.sample("a"), .sample("b", clientID: "b"), .sample("c", room: other, mentions: [mention])],
            [
                .sample("b", clientID: "b"),
                .sample("d", reply: ReplyRequest(seq: 1, isInTimeline: false)),
                .sample("e", room: other, reply: ReplyRequest(seq: 1, isInTimeline: true), mentions: [mention]),
                .sample("f", reply: ReplyRequest(seq: 99, isInTimeline: true)),
            ],
            [
                .sample("g", reply: ReplyRequest(seq: 3, isInTimeline: false)), .sample("another", clientID: "b"),
                .sample("i", room: other, reply: ReplyRequest(seq: 1, isInTimeline: false)),
            ],
        ]
    }

    /// The outcomes of the batches without ids, and the rows that they leave.
    private func trace(isDivided: Bool) async throws -> (outcomes: [String], rows: String) {
        var (outcomes, rows): ([String], String) = ([], "")
        try await ChatDatabase.use { database in
            let start = Timestamp(milliseconds: 1_000_000)
            for (number, batch) in batches().enumerated() {
                let result = try await database.write(
                    batch, at: start + .seconds(number), isDivided: isDivided)
                outcomes += result.outcomes.map(Self.text)
                outcomes += result.roots.map { "root \($0.seq) \($0.details.rev) \($0.details.replies?.count ?? 0)" }
                #expect(result.outboxRow != nil && (result.rootsRow != nil) == !result.roots.isEmpty)
            }
            _ = try await database.ask("update chat.room set is_closed = true where id = 8")
            // The clock of a room runs ahead of the real one by as much as it may.
            _ = try await database.ask("update chat.room set last_at = 1001500 where id = 7")
            let late = try await database.write(
                [.sample("late"), .sample("closed", room: RoomID(ChannelID(8)))], at: start, isDivided: isDivided)
            outcomes += late.outcomes.map(Self.text)
            #expect(late.outboxRow == nil)
            rows = try await database.ask(Self.rows)
        }
        return (outcomes, rows)
    }

    private static func text(_ outcome: SendOutcome) -> String {
        switch outcome {
        case .written(let written): "written \(written.seq) \(written.createdAt.milliseconds) \(written.root ?? 0)"
        case .known(let written): "known \(written.seq) \(written.rev)"
        case .conflicting: "conflicting"
        case .overloaded: "overloaded"
        case .closed: "closed"
        case .noThread: "no thread"
        }
    }

    @Test("Statements that each change one table leave the same rows as the statements of one Postgres")
    func same() async throws {
        let joint = try await trace(isDivided: false)
        let divided = try await trace(isDivided: true)
        #expect(joint.outcomes.contains("overloaded") && joint.outcomes.contains("closed"))
        #expect(joint.outcomes == divided.outcomes)
        #expect(joint.rows == divided.rows)
    }

    @Test("A service with a divided schema sends, replies and changes as any other")
    func service() async throws {
        try await ChatHarness.use(["divided_by_workspace": "true"]) { chat in
            for text in ["one", "two"] { #expect(try await chat.send(text).status == 201) }
            let reply = try await chat.call(
                "POST", "\(ChatHarness.channel)/chats", json: #"{"content":"three","thread":1}"#)
            #expect(reply.status == 201, "\(reply.text)")
            let reacted = try await chat.call("PUT", "\(ChatHarness.channel)/chats/2/reactions/%F0%9F%91%8D")
            #expect(reacted.status == 200, "\(reacted.text)")
            let rows = try await chat.database.ask(
                "select string_agg(seq || ' ' || content || ' ' || rev, ',' order by seq) from chat.message")
            #expect(rows == "1 one 1,2 two 2,3 three 0")
        }
    }

    @Test("Commits of a workspace that do not end hold up no batch of another one")
    func queues() {
        func message(_ workspace: Int64) -> PendingMessage { .sample("a", workspace: workspace) }
        var queues = CommitQueues<PendingMessage, Int>(isDivided: true)
        for waiter in 0..<4 { _ = queues.add(message(3), waiter) }
        let first = queues.nextBatch(of: WorkspaceID(3))
        for waiter in 4..<9 { _ = queues.add(message(3), waiter) }
        _ = queues.add(message(4), 9)
        // A second batch on another connection could be numbered before the first.
        let second = queues.nextBatch(of: WorkspaceID(3))
        let other = queues.nextBatch(of: WorkspaceID(4))
        #expect(first?.map(\.waiter) == [0, 1, 2, 3] && second?.count == nil && other?.map(\.waiter) == [9])
        queues.committed(of: WorkspaceID(4))
        queues.committed(of: WorkspaceID(3))
        let last = queues.nextBatch(of: WorkspaceID(3))
        #expect(last?.map(\.waiter) == [4, 5, 6, 7, 8])
        var joint = CommitQueues<PendingMessage, Int>(isDivided: false)
        _ = (joint.add(message(3), 0), joint.add(message(4), 1))
        let both = joint.nextBatch(of: WorkspaceID(4))
        #expect(both?.map(\.waiter) == [0, 1])
    }
}
