import Postgres
import Redis
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

/// Instances with an outbox that is divided over four parts.
enum DividedOutbox {
    static let stream: RedisKey = "published"

    /// An outbox in four parts, with the tables that `WorkspaceFinder` reads.
    private static let division = Migration(
        number: 3, name: "division",
        sql: Array(
            """
            create table divided_outbox (
                workspace bigint not null default 0, like outbox including defaults including identity
            ) partition by hash (workspace);
            drop table outbox;
            alter table divided_outbox rename to outbox;
            create table room (workspace bigint not null) partition by hash (workspace);
            do $$ begin
                for part in 0..3 loop
                    execute format('create table outbox_p%s partition of outbox
                        for values with (modulus 4, remainder %1$s)', part);
                    execute format('create table room_p%s partition of room
                        for values with (modulus 4, remainder %1$s)', part);
                end loop;
            end $$;
            create table busy_workspace (work text not null, id bigint not null, primary key (work, id));
            create function get_shard_id_for_distribution_column(tab regclass, workspace bigint) returns bigint
                language sql stable as $$
                    select part::bigint from generate_series(0, 3) as part
                    where satisfies_hash_partition(tab, 4, part, workspace)
                $$;
            create table gate (is_open boolean)
            """.utf8))

    /// Starts an instance. The pauses are short, so that a part that returns is soon known.
    static func start(
        with other: ServiceUnderTest? = nil, relays: Bool, retention: OutboxRetention = .day,
        assembling: @escaping @Sendable (ServiceBuilder, PostgresPool, Redis) throws -> Void = { _, _, _ in }
    ) async throws -> ServiceUnderTest {
        try await ServiceUnderTest("sample", [], database: other?.database, redis: other?.redis) { builder in
            let database = try await builder.database("sample", migrations: Outbox.migrations + [Self.division])
            let redis = try builder.redis()
            try assembling(builder, database, redis)
            guard relays else { return }
            let finder = WorkspaceFinder(
                database: database, wide: WideReads(isDivided: true, pause: .seconds(1)), limit: .seconds(3))
            let lostEntries = builder.lostEntryCheck(
                of: database, to: redis, streams: OutboxStreams(Self.stream), isDivided: true, parts: finder)
            builder.relayOutbox(checkedBy: lostEntries, grace: .zero, retention: retention) { row in
                [.append(["id": String(row.id), "workspace": String(row.workspace)], toStream: Self.stream)]
            }
        }
    }

    /// Calls `body` with an instance that relays nothing, which has these rows, and with the number of a part.
    static func use(
        _ rows: String, _ body: (ServiceUnderTest, _ part: String) async throws -> Void
    ) async throws {
        let service = try await start(relays: false)
        let redis = service.redis
        do {
            try await service.lent { service in
                // A statement gets a plan for the parts of its workspaces each time, as on Citus.
                _ = try await service.database.run(
                    sql: """
                        do $$ begin
                            execute format('alter database %I set plan_cache_mode = force_custom_plan', current_database());
                        end $$;
                        insert into sample.room select generate_series(3, 9);
                        insert into sample.busy_workspace select 'rooms', generate_series(3, 9);
                        \(rows)
                        """)
                let part = try await service.ask("select right(min(tableoid::regclass::text), 1) from sample.room")
                try await body(service, part)
            }
        } catch {
            await redis.stop()
            throw error
        }
        await redis.stop()
    }

    /// Calls `body` while a part is out of reach. A lock stands for a server that gives no answer.
    static func losing(
        _ part: String, of service: ServiceUnderTest, _ body: () async throws -> Void
    ) async throws {
        let database = service.database
        async let held = database.run(
            sql: """
                begin;
                lock table sample.outbox_p\(part), sample.room_p\(part) in access exclusive mode;
                do $$ begin
                    while not exists (select from sample.gate) loop perform pg_sleep(0.01); end loop;
                end $$;
                commit
                """)
        try await eventually("the lock") {
            try await service.ask(
                """
                select count(*) from pg_locks where relation = 'sample.room_p\(part)'::regclass and granted
                    and mode = 'AccessExclusiveLock'
                """) == "1"
        }
        var failure: (any Error)?
        do { try await body() } catch { failure = error }
        _ = try await database.run(sql: "insert into sample.gate values (true)")
        _ = try await held
        if let failure { throw failure }
    }

    /// Starts an instance with a relay while a part is out of reach, and calls `body`.
    static func starting(
        _ part: String, of service: ServiceUnderTest, retention: OutboxRetention = .day,
        _ body: () async throws -> Void, afterReturn: () async throws -> Void = {}
    ) async throws {
        var second: ServiceUnderTest?
        do {
            try await losing(part, of: service) {
                second = try await start(with: service, relays: true, retention: retention)
                try await body()
            }
            try await afterReturn()
        } catch {
            await second?.stop()
            throw error
        }
        await second?.stop()
    }

    /// The workspaces of the entries of the stream, each once.
    static func workspaces(in redis: RedisServer) async throws -> Set<String> {
        let parts = try await redis.command("XRANGE", stream.name, "-", "+")
        return Set(parts.indices.filter { parts[$0] == "workspace" }.map { parts[$0 + 1] })
    }

    /// The workspaces of the other parts.
    static func reachable(without part: String, in service: ServiceUnderTest) async throws -> Set<String> {
        let list = try await service.ask(
            "select workspace from sample.room where tableoid <> 'sample.room_p\(part)'::regclass")
        let found = Set(list.split(separator: "\n").map(String.init))
        try #require(!found.isEmpty && found.count < 7)
        return found
    }
}

extension ServiceUnderTest {
    /// The result of a query, with rows separated by newlines.
    func ask(_ sql: String) async throws -> String {
        String(try await database.run(sql: sql).dropLast())
    }
}
