import Contract
import Postgres
import ServiceKit
import Wire

/// The tables of pushes, and of the jobs that they are made of.
struct PushStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert pushes",
        """
        insert into push (kind, room, seq, device, user_id, body, due_at, created_at)
        select $1, $2, $3, device, user_id, $6, $7, $8
        from unnest($4::text[], $5::bigint[]) as wanted (device, user_id) order by device
        on conflict do nothing
        """)
    private static let isTaken = Statement.read(
        "find push job", "select exists (select from push_job where kind = $1 and room = $2 and seq = $3)")
    private static let takeJob = Statement.write(
        "insert push job",
        "insert into push_job (kind, room, seq, taken_at) values ($1, $2, $3, $4) on conflict do nothing")
    private static let take = Statement.write(
        "take due pushes",
        """
        update push set attempts = attempts + 1, due_at = $2
        where (kind, room, seq, device) in (
            select kind, room, seq, device from push where done_at is null and due_at <= $1
            order by due_at limit $3 for update skip locked
        )
        returning kind, room, seq, device, body, attempts, created_at
        """)
    private static let nextDue = Statement.read("next due push", "select min(due_at) from push where done_at is null")
    private static let finish = Statement.write(
        "finish push",
        "update push set done_at = $5, body = '' where kind = $1 and room = $2 and seq = $3 and device = $4")
    private static let postpone = Statement.write(
        "postpone push",
        "update push set due_at = $5 where kind = $1 and room = $2 and seq = $3 and device = $4")
    private static let forget = Statement.write(
        "forget pushes",
        """
        delete from push where (kind, room, seq, device) in (
            select kind, room, seq, device from push where done_at < $1
            order by done_at limit $2 for update skip locked
        )
        """)
    private static let forgetJobs = Statement.write(
        "forget push jobs",
        """
        delete from push_job where (kind, room, seq) in (
            select kind, room, seq from push_job where taken_at < $1
            order by taken_at limit $2 for update skip locked
        )
        """)

    private static let waiting = Statement.read(
        "count waiting pushes",
        "select count(*), min(created_at) from (select created_at from push where done_at is null limit $1) as waiting")

    /// Counts the pushes that wait to be sent.
    func length() async throws -> QueueLength {
        try await database.query(Self.waiting, QueueLength.mostCounted).only { row throws(PostgresError) in
            QueueLength(
                rows: Int(try row.next(as: Int64.self)),
                oldest: try row.next(as: Int64?.self).map { Timestamp(milliseconds: $0) })
        }
    }

    /// Whether the pushes of a message were all written before.
    func isTaken(_ message: RoomMessage) async throws -> Bool {
        try await database.query(
            Self.isTaken, Int16(message.room.kind.rawValue), message.room.rawValue, message.body.seq
        ).value()
    }

    /// Inserts a push for each device that has none of this message yet.
    ///
    /// - Parameter isLast: whether these are the last devices: then the job is finished.
    func insert(
        _ message: RoomMessage, _ push: PushMessage, _ devices: [AuthClient.Device], isLast: Bool, at now: Timestamp
    ) async throws {
        let (kind, room, seq) = (Int16(message.room.kind.rawValue), message.room.rawValue, message.body.seq)
        var batch = PostgresBatch()
        if !devices.isEmpty {
            try batch.add(
                Self.insert, kind, room, seq, devices.map(\.token), devices.map(\.user.rawValue), push.encoded(),
                now.milliseconds, message.body.createdAt.milliseconds)
        }
        if isLast { try batch.add(Self.takeJob, kind, room, seq, now.milliseconds) }
        try await database.run(batch)
    }

    /// Leases due pushes. Other instances may take those that are not finished when the lease ends.
    func take(atMost limit: Int, now: Timestamp, lease: Duration) async throws -> [DuePush] {
        try await database.query(Self.take, now.milliseconds, (now + lease).milliseconds, limit)
            .map { row throws(PostgresError) in
                let kind: Int16 = try row.next()
                let room = RoomID(kind: kind == 2 ? .dm : .channel, rawValue: try row.next())
                return DuePush(
                    room: room, seq: try row.next(), device: try row.next(), body: try row.next(),
                    attempts: Int(try row.next(as: Int32.self)),
                    createdAt: Timestamp(milliseconds: try row.next()))
            }
    }

    /// The time of the next due push; nil for none.
    func nextDue() async throws -> Timestamp? {
        try await database.query(Self.nextDue).value(as: Int64?.self).map { Timestamp(milliseconds: $0) }
    }

    func finish(_ push: DuePush, at now: Timestamp) async throws {
        try await database.execute(
            Self.finish, Int16(push.room.kind.rawValue), push.room.rawValue, push.seq, push.device, now.milliseconds)
    }

    func postpone(_ push: DuePush, to moment: Timestamp) async throws {
        try await database.execute(
            Self.postpone, Int16(push.room.kind.rawValue), push.room.rawValue, push.seq, push.device,
            moment.milliseconds)
    }

    /// Deletes rows that were finished before a moment, at most so many of each table.
    ///
    /// - Returns: whether there may be more.
    func forget(before moment: Timestamp, atMost limit: Int) async throws -> Bool {
        let pushes = try await database.execute(Self.forget, moment.milliseconds, limit)
        let jobs = try await database.execute(Self.forgetJobs, moment.milliseconds, limit)
        return max(pushes, jobs) == limit
    }
}
