import EventLoop
import Glibc
import HTTP
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

    @Test("A service repeats a migration after its database crashed during it")
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

    @Test("An instance that shares its ports starts beside the one it replaces, and each has an address of its own")
    func sharedPorts() async throws {
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        let redis = try await RedisServer.start()
        @Sendable func start(_ settings: [String: String]) async throws -> ServiceUnderTest {
            try await ServiceUnderTest("sample", [], settings, database: database, redis: redis) { builder in
                builder.publicRoutes { routes in routes.open(.get, "/v1/thing") { call in call.done() } }
            }
        }
        let old = try await start(["instance_address": "127.0.0.1:0"])
        let (outside, inside) = (old.running.publicAddress, old.running.internalAddress)
        let same = [
            "public_address": outside.description, "internal_address": inside.description,
            "instance_address": "127.0.0.1:0",
        ]
        await #expect(throws: SocketError.self, "without shared_ports an address in use is refused") {
            try await start(same)
        }
        let new = try await start(same.merging(["shared_ports": "true"]) { $1 })
        let own = [old.running.instanceAddress.port, new.running.instanceAddress.port]
        #expect(Set(own + [inside.port]).count == 3)
        for port in own { #expect(try await HTTPCall.get(port: port, "/readyz").text == "ready\n") }
        await old.running.stop()
        for _ in 0..<20 {
            #expect(try await new.call("GET", "/v1/thing").status == 200)
            #expect(try await HTTPCall.get(port: inside.port, "/readyz").status == 200)
        }
        #expect((try? RawConnection(port: own[0])) == nil)
        await new.stop()
        old.loops.stop()
        await redis.stop()
    }
}
