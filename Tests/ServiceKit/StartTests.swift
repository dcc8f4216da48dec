import Glibc
import Postgres
import Redis
import ServiceKit
import ServiceSupport
import Telemetry
import TestSupport
import Testing

@Suite("Service start")
struct StartTests {
    @Test("A service that starts before its database waits for it")
    func beforeItsDatabase() async throws {
        let cluster = try await PostgresCluster.start()
        let database = try await cluster.makeDatabase()
        await cluster.stop()
        let folder = TemporaryFolder("maru-log")
        let log = folder.path + "/log"
        let file = open(log, O_CREAT | O_WRONLY | O_APPEND, 0o600)
        defer { close(file) }
        async let starting = ServiceUnderTest(
            "sample", [], database: database,
            log: Log(service: "sample", level: .warning, to: LogOutput(descriptor: file))
        ) { builder in _ = try await builder.database("sample", migrations: Outbox.migrations) }
        try await eventually(within: .seconds(60), "an attempt in vain") {
            try String(contentsOfFile: log).contains("the database cannot be reached yet")
        }
        try await cluster.start()
        let service = try await starting
        await service.stop()
        await cluster.stop()
    }

    @Test("A service whose database crashes during a migration repeats the migration")
    func crashDuringMigration() async throws {
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        // A sequence counts attempts, because it is not rolled back.
        let sql = """
            create sequence if not exists attempts;
            create table made (attempt bigint);
            """
        let crash = """
            do $$ begin
                if nextval('attempts') = 1 then
                    perform pg_terminate_backend(pg_backend_pid());
                    perform pg_sleep(60);
                end if;
                insert into made values (1);
            end $$;
            """
        let service = try await ServiceUnderTest("sample", [], database: database) { builder in
            _ = try await builder.database(
                "sample",
                migrations: [
                    Migration(number: 1, name: "tables", sql: Array(sql.utf8)),
                    Migration(number: 2, name: "crash", sql: Array(crash.utf8)),
                ])
        }
        #expect(try await database.run(sql: "select count(*) from sample.made") == "1\n")
        await service.stop()
    }

    @Test("A service does not start with a database that a newer version has migrated")
    func newerDatabase() async throws {
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        func start(_ migrations: [Migration]) async throws -> ServiceUnderTest {
            try await ServiceUnderTest("sample", [], database: database) { builder in
                _ = try await builder.database("sample", migrations: migrations)
            }
        }
        try await start(Outbox.migrations).stop()
        let error = await #expect(throws: MigrationError.self) { try await start(Array(Outbox.migrations.dropLast())) }
        #expect(error?.logText == "the database has migration 2, which this version does not know")
    }
}
