internal import EventLoop
internal import Postgres
public import Redis
internal import Telemetry
internal import Wire

/// Tells the facts of an outbox on its Redis stream, in order, and remembers what was told until nobody can need it.
///
/// Several instances may run it: rows being told by one are passed over by the others. A row is told again when a crash comes
/// between telling and noting, or when the last entry told is gone from Redis, which has then lost others, too.
struct OutboxRelay: Sendable {
    let database: PostgresPool
    let redis: Redis
    /// The stream's name, such as `facts:auth`.
    let stream: RedisKey
    /// Makes the commands that tell a row; the last appends an entry to the stream.
    let telling: @Sendable (OutboxRow) async throws -> [RedisCommand]
    /// How old a row must be: time for its writer to tell it by itself.
    let grace: Duration
    let memory: OutboxMemory
    let signal: WakeSignal
    let log: Log

    private static let batch = 500
    private static let againBatch = 5000
    /// A batch ends after this though rows are left, so that what was told is soon noted.
    private static let turn = Duration.seconds(2)
    /// What Redis has for a slice: nobody waits, and what comes too late is told twice.
    private static let patience = Duration.seconds(5)
    /// What nobody has signalled, because its writer died, is found after this.
    private static let patrol = Duration.seconds(1)
    private static let cleaning = Duration.seconds(60)

    private static let waiting = Statement.write(
        "waiting outbox rows",
        """
        select id, type, body from outbox
        where published_at is null and created_at <= (extract(epoch from now()) * 1000)::bigint - $2
        order by id limit $1 for update skip locked
        """)
    private static let published = Statement.write(
        "note published outbox rows",
        """
        update outbox set published_at = (extract(epoch from clock_timestamp()) * 1000)::bigint, entry = told.entry
        from unnest($1::bigint[], $2::text[]) as told (id, entry) where outbox.id = told.id
        """)
    private static let awake = Statement.read("outbox telling goes on", "select")
    private static let last = Statement.read(
        "last published outbox entry",
        "select entry from outbox where published_at is not null order by published_at desc, id desc limit 1")
    private static let again = Statement.write(
        "publish outbox again",
        """
        with slice as (
            select id from outbox where id > $1 and published_at is not null order by id limit $2 for update skip locked
        ), changed as (
            update outbox set published_at = null, entry = null where id in (select id from slice)
        )
        select count(*), coalesce(max(id), 0) from slice
        """)
    private static let old = Statement.read(
        "old outbox rows",
        """
        select id, entry from outbox
        where published_at < (extract(epoch from now()) * 1000)::bigint - $2 order by published_at limit $1
        """)
    private static let forget = Statement.write("forget outbox rows", "delete from outbox where id = any($1::bigint[])")

    /// Relays until cancelled.
    func run(on loop: EventLoop) async throws {
        var known: Int?
        var nextCleaning = loop.now
        while !Task.isCancelled {
            if case .connected(let generation) = redis.state {
                // However short it was away, it may have come back empty, or as a replica that lacks the latest.
                if generation != known { try await publishAgainIfLost() }
                known = generation
                while try await relayBatch(on: loop), !Task.isCancelled {}
                if loop.now >= nextCleaning {
                    nextCleaning = loop.now + Self.cleaning.wholeNanoseconds
                    try await publishAgainIfLost()
                    try await forgetOld()
                }
            }
            try await signal.sleep(atMost: Self.patrol, on: loop)
        }
    }

    /// Tells the next rows and says whether there may be more. What was told is noted whatever becomes of the rest.
    private func relayBatch(on loop: EventLoop) async throws -> Bool {
        let (mayBeMore, failure) = try await database.transaction { tx in
            let rows = try await tx.query(Self.waiting, Self.batch, grace.wholeMilliseconds).map {
                row throws(PostgresError) in
                OutboxRow(id: try row.next(), type: try row.next(), body: try row.next())
            }
            let end = loop.now + Self.turn.wholeNanoseconds
            var waiting = rows[...]
            var failure: (any Error)?
            while !waiting.isEmpty, failure == nil, loop.now < end {
                failure = try await tellSome(of: &waiting, in: tx)
            }
            return (rows.count == Self.batch || !waiting.isEmpty, failure)
        }
        if let failure { throw failure }
        return mayBeMore
    }

    /// Takes the first rows that fill a slice, tells them and notes which were told.
    ///
    /// - Returns: why one of them was not. What is behind it is told after it, later.
    private func tellSome(
        of rows: inout ArraySlice<OutboxRow>, in tx: PostgresTransaction
    ) async throws -> (any Error)? {
        var (taken, failure) = await take(from: &rows)
        // One row may be many slices, and the server ends a transaction that stands idle.
        let outcomes = try await redis.run(inTurn: taken.commands, within: Self.patience) {
            try await tx.query(Self.awake)
        }
        var told: (ids: [Int64], entries: [String]) = ([], [])
        do {
            for row in taken.rows {
                let replies = try outcomes[row.commands.clamped(to: outcomes.indices)].map { try $0.get() }
                guard let entry = replies.last?.text else { throw RedisError.unexpectedReply("no entry of a stream") }
                told.ids.append(row.id)
                told.entries.append(entry)
            }
        } catch {
            failure = error
        }
        if !told.ids.isEmpty { try await tx.execute(Self.published, told.ids, told.entries) }
        return failure
    }

    /// The commands of some rows, and which are whose.
    private struct Taken {
        var commands: [RedisCommand] = []
        var rows: [(id: Int64, commands: Range<Int>)] = []
    }

    private func take(from rows: inout ArraySlice<OutboxRow>) async -> (Taken, failure: (any Error)?) {
        var taken = Taken()
        var size = 0
        while taken.commands.count < redis.slice.commands, size < redis.slice.bytes, let row = rows.popFirst() {
            do {
                let commands = try await telling(row)
                taken.rows.append((row.id, taken.commands.count..<taken.commands.count + commands.count))
                taken.commands += commands
                size += commands.lazy.map(\.size).reduce(0, +)
            } catch {
                return (taken, error)
            }
        }
        return (taken, nil)
    }

    /// Redis may come back without its latest entries, or empty: then all that is remembered is told again.
    private func publishAgainIfLost() async throws {
        guard
            let last = try await database.query(Self.last).first({ row throws(PostgresError) in
                try row.next(as: String.self)
            }),
            let id = RedisStreamEntry.ID(last)
        else { return }
        if try await redis.entries(ofStream: stream, from: id, through: id, limit: 1).isEmpty {
            let count = try await publishAgain()
            log.warning(
                "facts are lost in redis and published again", ["stream": .name(stream.name), "count": .count(count)])
        }
    }

    /// Returns how many rows are to be told again: all or none, because what others tell meanwhile would hide from the next
    /// look that something is missing. Each statement takes its part only, for the server lets none run for long.
    private func publishAgain() async throws -> Int {
        try await database.transaction { tx in
            var (total, newest): (Int, Int64) = (0, 0)
            while true {
                let part = try await tx.query(Self.again, newest, Self.againBatch).only { row throws(PostgresError) in
                    (count: Int(try row.next(as: Int64.self)), newest: try row.next(as: Int64.self))
                }
                if part.count == 0 { return total }
                (total, newest) = (total + part.count, part.newest)
            }
        }
    }

    /// Forgets rows told before its memory begins that every group has acknowledged, and trims the stream behind them. What no
    /// group reads is forgotten by its age alone.
    private func forgetOld() async throws {
        let done = try await acknowledged()
        let memory = done == nil ? memory.unheard : memory.acknowledged
        while !Task.isCancelled {
            let old = try await database.query(Self.old, Self.batch, memory.wholeMilliseconds)
            let rows = try old.map { row throws(PostgresError) in
                (id: try row.next(as: Int64.self), entry: RedisStreamEntry.ID(try row.next(as: String.self)))
            }
            let behind = rows.filter { row in
                guard let done, let entry = row.entry else { return true }
                return entry < done
            }
            guard let newest = behind.compactMap(\.entry).max() else { return }
            try await database.execute(Self.forget, behind.map(\.id))
            try await redis.trimStream(stream, before: newest)
            if behind.count < Self.batch { return }
        }
    }

    /// The entry before which every group has acknowledged all; nil where there is no group.
    private func acknowledged() async throws -> RedisStreamEntry.ID? {
        let groups = try await redis.groups(ofStream: stream)
        var done = groups.map(\.lastDelivered).min()
        for group in groups where group.pending > 0 {
            if let oldest = try await redis.pending(ofStream: stream, group: group.name, limit: 1).first {
                done = done.map { min($0, oldest.id) }
            }
        }
        return done
    }
}

/// What a service has written down to be told.
public struct OutboxRow: Sendable {
    public let id: Int64
    public let type: String
    /// JSON.
    public let body: String

    /// Appends the row as a fact.
    public func fact(on stream: RedisKey) -> RedisCommand {
        .append(["id": String(id), "type": type, "body": body], toStream: stream)
    }
}
