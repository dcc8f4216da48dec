import EventLoop
import Postgres
import TestSupport
import Testing

@Suite struct MigrationTests {
    private static let tables = migration(1, "tables", "create table s.a (id int8); create table s.b (id int8)")
    private static let rows = migration(2, "rows", "insert into s.a values (1); insert into s.b values (2)")

    private static func migration(_ number: Int, _ name: String, _ sql: String) -> Migration {
        Migration(number: number, name: name, sql: Array(sql.utf8))
    }

    @Test("A migration is applied once, and a later one after it")
    func once() async throws {
        try await Database.use { pool, _ in
            let first = try await pool.migrate("s", [Self.tables])
            let second = try await pool.migrate("s", [Self.tables, Self.rows])
            let third = try await pool.migrate("s", [Self.tables, Self.rows])
            #expect([first, second, third] == [1, 1, 0])
            let names = try await pool.query(
                Statement.read("names", unprepared: "select number || name from s.schema_migrations order by number"))
            #expect(try names.map { try $0.next(as: String.self) } == ["1tables", "2rows"])
        }
    }

    @Test("A schema is divided after its migrations, at each start, and statements of a migration are sent one by one")
    func division() async throws {
        try await Database.use { pool, home in
            let log =
                "create table if not exists s.divided (tables int8); insert into s.divided select count(*) from s.a"
            let distribution = Distribution(by: "plpgsql", script: log, sessionSettings: [:])
            // A text of several statements is refused.
            let alone = Self.migration(3, "alone", "insert into s.a values (3); select s.alone();")
            let refuse = Self.migration(
                2, "refuse",
                """
                create function s.alone() returns void language plpgsql as $$ begin
                    if position(';' in rtrim(current_query(), ';')) > 0 then raise exception 'several; statements'; end if;
                end $$;
                """)
            #expect(try await pool.migrate("s", [Self.tables, refuse, alone], dividing: distribution) == 3)
            #expect(try await pool.migrate("s", [Self.tables, refuse, alone], dividing: distribution) == 0)
            let runs = try await home.server.run(sql: "select string_agg(tables::text, ',') from s.divided")
            #expect(runs == "1,1\n")
        }
    }

    @Test("A schema that an extension is to divide is not made without the extension")
    func missingExtension() async throws {
        try await Database.use { pool, home in
            let distribution = Distribution(by: "nothing", script: "select 1", sessionSettings: [:])
            do {
                try await pool.migrate("s", [Self.tables], dividing: distribution)
                Issue.record("it was made")
            } catch let error as MigrationError {
                #expect(error == .noExtension("nothing"))
            }
            #expect(try await home.server.run(sql: "select to_regnamespace('s') is null") == "t\n")
        }
    }

    @Test("The times of migrations become milliseconds in a database of an earlier release, and stay as they are later")
    func times() async throws {
        try await Database.use { pool, home in
            _ = try await home.server.run(
                sql: """
                    create schema s;
                    create table s.schema_migrations (
                        number bigint primary key, name text not null, checksum bytea not null,
                        applied_at timestamptz not null default now()
                    );
                    create table s.a (id int8);
                    create table s.b (id int8);
                    insert into s.schema_migrations (number, name, checksum, applied_at)
                    values (1, 'tables', sha256('\(String(decoding: Self.tables.sql, as: UTF8.self))'),
                        '2026-01-02 03:04:05.678+00');
                    """)
            try await pool.migrate("s", [Self.tables, Self.rows])
            try await pool.migrate("s", [Self.tables, Self.rows])
            let times = try await home.server.run(
                sql: """
                    select applied_at, pg_typeof(applied_at) from s.schema_migrations where number = 1;
                    select abs(applied_at - extract(epoch from now()) * 1000) < 3600000
                    from s.schema_migrations where number = 2
                    """)
            #expect(times == "1767323045678|bigint\nt\n")
        }
    }

    @Test("A changed migration and a skipped migration are refused")
    func refusals() async throws {
        try await Database.use { pool, _ in
            try await pool.migrate("s", [Self.tables, Self.rows])
            await #expect(throws: MigrationError.changed(1, name: "tables")) {
                try await pool.migrate("s", [Self.migration(1, "tables", "select 1"), Self.rows])
            }
            let four = Self.migration(4, "four", "select 4")
            try await pool.migrate("s", [Self.tables, four])
            await #expect(throws: MigrationError.missing(3)) {
                try await pool.migrate("s", [Self.tables, Self.rows, Self.migration(3, "late", "select 3"), four])
            }
            await #expect(throws: MigrationError.unordered(1)) {
                try await pool.migrate("s", [Self.rows, Self.tables])
            }
        }
    }

    @Test("A program refuses a database with a migration that is newer than its own")
    func newer() async throws {
        try await Database.use { pool, _ in
            try await pool.migrate("s", [Self.tables, Self.rows])
            await #expect(throws: MigrationError.newer(2)) { try await pool.migrate("s", [Self.tables]) }
            await #expect(throws: MigrationError.newer(2)) { try await pool.migrate("s", []) }
        }
    }

    @Test("A failed migration leaves nothing behind, and its error names it")
    func failing() async throws {
        try await Database.use { pool, home in
            let broken = Self.migration(3, "broken", "create table s.c (id int8); insert into s.nowhere values (1)")
            await #expect {
                try await pool.migrate("s", [Self.tables, Self.rows, broken])
            } throws: { error in
                guard case .failed(3, "broken", let reason)? = error as? MigrationError else { return false }
                return reason.sqlState == "42P01"
            }
            let left = try await home.server.run(
                sql: "select to_regclass('s.c') is null, count(*) from s.schema_migrations")
            #expect(left == "t|2\n")
        }
    }

    @Test("A migration that loses its server fails as a lost connection, and leaves nothing behind")
    func lostServer() async throws {
        let cluster = try await PostgresCluster.start()
        let server = try await cluster.makeDatabase()
        try await Database.use(on: server) { pool, home in
            let slow = Self.migration(1, "slow", "create table s.a (id int8); select pg_sleep(600)")
            let running = Task(executorPreference: home.loops.loops[0]) { try await pool.migrate("s", [slow]) }
            try await eventually { try await home.sessions(where: "wait_event = 'PgSleep'") == 1 }
            await cluster.kill()
            let error = try await failure { try await running.value }
            #expect(error.kind == .connectionLost)
            try await cluster.start()
            #expect(try await pool.migrate("s", [Self.tables]) == 1)
        }
        await cluster.stop()
    }

    @Test("A migration in portions commits each of them, and continues after a failure where it was")
    func portions() async throws {
        try await Database.use { pool, home in
            let begin = Self.migration(
                1, "begin",
                """
                create table s.a (id int8, is_done boolean, tx int8);
                insert into s.a select id, false from generate_series(1, 5) as id;
                create function s.fill() returns boolean language plpgsql as $$ begin
                    update s.a set is_done = 1 / (case when id = 4 and not exists (select from s.a where id = 9) then 0 else 1 end) = 1,
                        tx = txid_current()
                    where id in (select id from s.a where not is_done order by id limit 2);
                    return not exists (select from s.a where not is_done);
                end $$
                """)
            let fill = Migration(number: 2, name: "fill", sql: Array("select s.fill()".utf8), isInPortions: true)
            await #expect(throws: MigrationError.self) { try await pool.migrate("s", [begin, fill]) }
            let kept = try await home.server.run(
                sql: "select count(*) filter (where is_done), (select max(number) from s.schema_migrations) from s.a")
            #expect(kept == "2|1\n")
            _ = try await home.server.run(sql: "insert into s.a values (9, true)")
            #expect(try await pool.migrate("s", [begin, fill]) == 1)
            let done = try await home.server.run(
                sql: "select count(*) filter (where not is_done), count(distinct tx) from s.a")
            #expect(done == "0|3\n")
            #expect(try await pool.migrate("s", [begin, fill]) == 0)
        }
    }

    @Test("Four instances that start at once apply each migration once")
    func race() async throws {
        let server = try await PostgresCluster.ofThisProcess().makeDatabase()
        let instances = (0..<4).map { _ in Database(server) }
        let slow = Self.migration(3, "slow", "select pg_sleep(0.2); create table s.c (id int8)")
        let applied = try await withThrowingTaskGroup(of: Int.self) { group in
            for instance in instances {
                group.addTask(executorPreference: instance.loops.loops[0]) {
                    try await instance.pool.migrate("s", [Self.tables, Self.rows, slow])
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(applied == 3)
        for instance in instances { await instance.close() }
    }

    @Test("A migration that waits for a table holds up no reader of another one, and is applied once the table is free")
    func yields() async throws {
        try await Database.use { pool, home in
            try await pool.migrate("s", [Self.tables])
            let columns = Self.migration(
                2, "columns", "alter table s.a add x int8; alter table s.b add x int8")
            try await withThrowingTaskGroup(of: Int.self) { group in
                try await pool.transaction { tx in
                    try await tx.execute(Statement.write("hold", unprepared: "lock table s.b in access share mode"))
                    group.addTask { try await pool.migrate("s", [Self.tables, columns]) }
                    try await eventually("the migration waits") {
                        try await home.sessions(where: "wait_event_type = 'Lock' and query like '%alter table s.b%'")
                            == 1
                    }
                    let read = Statement.read("read", unprepared: "select count(*) from s.a")
                    let rows = try await pool.query(read).value(as: Int.self)
                    #expect(rows == 0)
                }
                #expect(try await group.next() == 1)
            }
        }
    }

    @Test("A role that owns only its schema can migrate it")
    func ownRole() async throws {
        let server = try await PostgresCluster.ofThisProcess().makeDatabase()
        let role = server.name + "_owner"
        try await server.run(sql: "create role \(role) login; create schema s authorization \(role)")
        try await Database.use(on: server, { $0.connectionString = server.connectionString(user: role) }) { pool, _ in
            let applied = try await pool.migrate("s", [Self.tables])
            #expect(applied == 1)
        }
    }

    @Test("A file name contains number and name")
    func fileNames() {
        let migration = Migration(file: "0012_add_index.sql", sql: [])
        #expect(migration?.number == 12 && migration?.name == "add_index")
        for name in ["x.sql", "0001.sql", "0001_a.txt", "0_a.sql"] { #expect(Migration(file: name, sql: []) == nil) }
    }
}
