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
        insert into push (kind, room, seq, device, user_id, badge, body, due_at, created_at)
        select $1, $2, $3, device, user_id, badge, $7, $8, $9
        from unnest($4::text[], $5::bigint[], $6::integer[]) as wanted (device, user_id, badge)
        where not exists (
            select from push_decision where kind = $1 and room = $2 and seq = $3 and after_user = $10
        )
        order by device
        on conflict do nothing
        """)
    private static let decide = Statement.write(
        "insert push decisions",
        """
        insert into push_decision (kind, room, seq, after_user, decided_at, users, reasons)
        values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing
        """)
    private static let progress = Statement.read(
        "progress of push job",
        """
        select exists (select from push_job where kind = $1 and room = $2 and seq = $3), (
            select max(decided) from push_decision cross join unnest(users) as decided
            where kind = $1 and room = $2 and seq = $3)
        """)
    /// Not after a page that another attempt inserted from the same place: it may end before this one.
    private static let takeJob = Statement.write(
        "insert push job",
        """
        insert into push_job (kind, room, seq, taken_at)
        select $1, $2, $3, $4
        where not exists (
            select from push_decision where kind = $1 and room = $2 and seq = $3 and after_user = $5
        )
        on conflict do nothing
        """)
    private static let take = Statement.write(
        "take due pushes",
        """
        update push set attempts = attempts + 1, due_at = $2
        where (kind, room, seq, device) in (
            select kind, room, seq, device from push where done_at is null and due_at <= $1
            order by due_at limit $3 for update skip locked
        )
        returning kind, room, seq, device, user_id, body, attempts, created_at, badge
        """)
    private static let nextDue = Statement.read("next due push", "select min(due_at) from push where done_at is null")
    private static let finish = Statement.write(
        "finish push",
        """
        update push set done_at = $5, outcome = $6, body = '' where kind = $1 and room = $2 and seq = $3 and device = $4
        """)
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
    /// Pushes that no instance takes, because push is off.
    private static let forgetWaiting = Statement.write(
        "forget waiting pushes",
        """
        delete from push where (kind, room, seq, device) in (
            select kind, room, seq, device from push where done_at is null and due_at < $1
            order by due_at limit $2 for update skip locked
        )
        """)
    private static let erase = Statement.write("erase pushes of user", "delete from push where user_id = $1")
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

    private static let forgetDecisions = Statement.write(
        "forget push decisions",
        """
        delete from push_decision where (kind, room, seq, after_user) in (
            select kind, room, seq, after_user from push_decision where decided_at < $1
            order by decided_at limit $2 for update skip locked
        )
        """)

    /// How far the job of a message is.
    enum Progress: Sendable, Equatable {
        /// The pushes of the message were all written before.
        case taken
        /// The members up to this one, in the order of their ids, have decisions; nil for none.
        case decided(through: UserID?)
    }

    func progress(of message: RoomMessage) async throws -> Progress {
        try await database.query(
            Self.progress, Int16(message.room.kind.rawValue), message.room.rawValue, message.body.seq
        ).only { row throws(PostgresError) -> Progress in
            let (isTaken, last): (Bool, UserID?) = (try row.next(), try row.next())
            return isTaken ? .taken : .decided(through: last)
        }
    }

    /// Inserts a page of a job: the decision about each member, and a push for each device of the notified ones. If another
    /// attempt has inserted a page from the same place, it changes nothing and returns false. That page may end at another
    /// member.
    ///
    /// - Parameter isLast: whether it is the last page: then the job is finished.
    func insert(
        _ message: RoomMessage, _ push: PushMessage, _ page: PushPage, isLast: Bool, at now: Timestamp
    ) async throws -> Bool {
        let (kind, room, seq) = (Int16(message.room.kind.rawValue), message.room.rawValue, message.body.seq)
        let (after, targets) = (page.after?.rawValue ?? 0, page.targets)
        var batch = PostgresBatch()
        if !targets.isEmpty {
            try batch.add(
                Self.insert, kind, room, seq, targets.map(\.device), targets.map(\.user.rawValue),
                targets.map(\.badge), push.encoded(), now.milliseconds, message.body.createdAt.milliseconds, after)
        }
        if isLast { try batch.add(Self.takeJob, kind, room, seq, now.milliseconds, after) }
        if page.reasons.isEmpty {
            try await database.run(batch)
            return true
        }
        let reasons = page.reasons.sorted { $0.key.rawValue < $1.key.rawValue }
        try batch.add(
            Self.decide, kind, room, seq, after, now.milliseconds, reasons.map(\.key), reasons.map(\.value.rawValue))
        return try await database.run(batch).last?.affected == 1
    }

    /// Erases the pushes to a user's devices.
    func erase(_ user: UserID) async throws { try await database.execute(Self.erase, user) }

    /// Leases due pushes. Other instances may take those that are not finished when the lease ends.
    func take(atMost limit: Int, now: Timestamp, lease: Duration) async throws -> [DuePush] {
        try await database.query(Self.take, now.milliseconds, (now + lease).milliseconds, limit)
            .map { row throws(PostgresError) in
                let kind: Int16 = try row.next()
                let room = RoomID(kind: kind == 2 ? .dm : .channel, rawValue: try row.next())
                return DuePush(
                    room: room, seq: try row.next(), device: try row.next(), user: try row.next(),
                    body: try row.next(),
                    attempts: Int(try row.next(as: Int32.self)),
                    createdAt: Timestamp(milliseconds: try row.next()),
                    badge: try row.next(as: Int32?.self).map { Int($0) })
            }
    }

    /// The time of the next due push; nil for none.
    func nextDue() async throws -> Timestamp? {
        try await database.query(Self.nextDue).value(as: Int64?.self).map { Timestamp(milliseconds: $0) }
    }

    func finish(_ push: DuePush, _ outcome: PushOutcome, at now: Timestamp) async throws {
        try await database.execute(
            Self.finish, Int16(push.room.kind.rawValue), push.room.rawValue, push.seq, push.device, now.milliseconds,
            outcome.text)
    }

    func postpone(_ push: DuePush, to moment: Timestamp) async throws {
        try await database.execute(
            Self.postpone, Int16(push.room.kind.rawValue), push.room.rawValue, push.seq, push.device,
            moment.milliseconds)
    }

    /// Deletes rows that were finished before a moment, and pushes that were due before it, at most so many of each kind.
    ///
    /// - Returns: whether there may be more.
    func forget(before moment: Timestamp, atMost limit: Int) async throws -> Bool {
        let pushes = try await database.execute(Self.forget, moment.milliseconds, limit)
        let waiting = try await database.execute(Self.forgetWaiting, moment.milliseconds, limit)
        let jobs = try await database.execute(Self.forgetJobs, moment.milliseconds, limit)
        return max(pushes, waiting, jobs) == limit
    }

    /// Deletes decisions that were made before a moment, at most so many. Returns whether there may be more.
    func forgetDecisions(before moment: Timestamp, atMost limit: Int) async throws -> Bool {
        try await database.execute(Self.forgetDecisions, moment.milliseconds, limit) == limit
    }
}
