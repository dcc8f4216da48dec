import Contract
import Postgres
import Wire

/// The batch of one workspace in a schema that is divided by workspace: raise the rooms, number the messages here, insert them, and note
/// them in the outbox. One worker takes part, so that the commit has one phase and waits for no other worker.
extension MessageWriter {
    /// The results of the transaction.
    private struct Divided: Sendable {
        var outcomes: [Int: SendOutcome]
        /// The messages that were to be written, and those among them that their rooms accepted.
        let order: BatchOrder
        var numbered: [DividedMessageRows.Numbered] = []
        var results: [Rows] = []
        /// The number of results that belong to messages, and of those that belong to threads.
        var counts = (messages: 0, threads: 0)
    }

    func writeDivided(_ messages: [PendingMessage], newRooms: Bool, now: Timestamp) async throws -> Result {
        guard let workspace = messages.first?.workspace else { return Result(outcomes: [], outboxRow: nil) }
        let written = try await database.transaction { tx -> Divided in
            let found = try await lookUp(messages, newRooms: newRooms, in: workspace, tx)
            let order = BatchOrder(messages) { found.outcomes[$0] == nil }
            var divided = Divided(outcomes: found.outcomes, order: order)
            if order.messages.isEmpty { return divided }
            var raising = PostgresBatch()
            try DividedMessageRows.addRaise(order, in: workspace, at: now, to: &raising)
            let heads = try DividedMessageRows.heads(try await tx.run(raising)[0])
            let accepted = BatchOrder(messages) { found.outcomes[$0] == nil && heads[messages[$0].room] != nil }
            divided.numbered = Self.number(accepted, from: heads, found.targets)
            if divided.numbered.isEmpty { return divided }
            var writing = PostgresBatch()
            try DividedMessageRows.add(divided.numbered, in: workspace, to: &writing)
            divided.counts.messages = writing.count
            let plan = ThreadPlan(accepted, found.targets)
            if !plan.roots.isEmpty {
                let times = Dictionary(divided.numbered.map { ($0.key, $0.time) }) { first, _ in first }
                try DividedThreadRows.add(plan, times: times, in: workspace, to: &writing)
                divided.counts.threads = writing.count - divided.counts.messages
                try MessageStore.add(plan.roots.map(\.key), to: &writing)
                try MessageDetailStore.add(plan.roots.map(\.key), to: &writing)
            }
            divided.results = try await tx.commit(after: writing)
            return divided
        }
        return try await result(of: written)
    }

    /// Locks the rooms, and finds earlier messages with the same names and the threads of replies.
    private func lookUp(
        _ messages: [PendingMessage], newRooms: Bool, in workspace: WorkspaceID, _ tx: PostgresTransaction
    ) async throws -> (outcomes: [Int: SendOutcome], targets: [MessageKey: ThreadPlan.Target]) {
        let all = BatchOrder(messages)
        var batch = PostgresBatch()
        if newRooms { try Self.addRooms(of: all, to: &batch) }
        try batch.lock(all.rooms)
        let locks = batch.count
        let (hasNames, hasReplies) = (messages.contains { $0.clientID != nil }, messages.contains { $0.reply != nil })
        if hasNames { try DividedMessageRows.addLookup(of: messages, in: workspace, to: &batch) }
        if hasReplies { try DividedThreadRows.addLookup(of: messages, in: workspace, to: &batch) }
        let found = try await tx.run(batch).dropFirst(locks)
        return try Self.decided(
            messages, named: hasNames ? found.first : nil, replied: hasReplies ? found.last : nil)
    }

    /// Numbers messages up to the heads of their rooms.
    private static func number(
        _ order: BatchOrder, from heads: [RoomID: DividedMessageRows.Head], _ targets: [MessageKey: ThreadPlan.Target]
    ) -> [DividedMessageRows.Numbered] {
        zip(order.messages, order.followers).compactMap { message, followers in
            heads[message.room].map { head in
                DividedMessageRows.Numbered(
                    message: message, seq: head.seq - followers, time: head.time - spacing * followers,
                    root: message.repliedKey.flatMap { targets[$0]?.root })
            }
        }
    }

    private func result(of written: Divided) async throws -> Result {
        var (outcomes, order) = (written.outcomes, written.order)
        let results = written.results
        let ids = try results.first.map(DividedMessageRows.ids) ?? [:]
        var next = 0
        var refused: [Int] = []
        for (index, message) in zip(order.indices, order.messages) {
            guard next < written.numbered.count, written.numbered[next].message === message else {
                refused.append(index)
                continue
            }
            let new = written.numbered[next]
            guard let id = ids[DividedMessageRows.MessagePlace(room: message.room, seq: new.seq)] else {
                throw Failure.serverError
            }
            outcomes[index] = .written(
                SendOutcome.Written(
                    id: id, seq: new.seq, createdAt: Timestamp(milliseconds: new.time), files: message.files,
                    root: new.root))
            next += 1
        }
        let rooms = Dictionary(zip(order.indices, order.messages.map(\.roomKey))) { first, _ in first }
        for (index, reason) in zip(refused, await reasons(of: refused.compactMap { rooms[$0] })) {
            outcomes[index] = reason
        }
        var result = Result(outcomes: (0..<outcomes.count).compactMap { outcomes[$0] }, outboxRow: nil)
        let (messages, threads) = written.counts
        if messages > 0 { result.outboxRow = try Self.row(results[messages - 1]) }
        if threads > 0 {
            result.rootsRow = try Self.row(results[messages + threads - 1])
            let rest = results.dropFirst(messages + threads)
            result.roots = try rest.prefix(1).flatMap(MessageStore.read)
            try MessageDetailStore.fill(&result.roots, from: rest.dropFirst())
        }
        return result
    }

    private static func row(_ rows: Rows) throws -> Int64? {
        try rows.first { row throws(PostgresError) in try row.next(as: Int64.self) }
    }
}
