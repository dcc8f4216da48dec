import LoadClient
import ServiceSupport
import TestSupport

/// The built chat-service under load, on a Postgres and a Redis that write to disk as in production.
final class LoadedChat: Stoppable {
    let service: LoadedService
    let peers: StubServer<PeerStandin>

    init() async throws {
        peers = try StubServer()
        service = try await LoadedService.start(
            "chat-service",
            postgres: ["checkpoint_timeout=30min", "min_wal_size=2GB", "max_wal_size=8GB"],
            ["auth_url": peers.url, "workspace_url": peers.url]
        ) { database in
            // A server that has run for a while writes over old segments of its log, which takes less than making new ones.
            try await database.run(
                sql: """
                    do $$ begin for segment in 1..100 loop
                    perform pg_logical_emit_message(false, '', 'full');
                    perform pg_switch_wal();
                    end loop; end $$;
                    checkpoint;
                    """)
        }
    }

    var database: TestDatabase { service.database }

    /// Commits of messages so far.
    func batches() async throws -> Int {
        let text = try await database.run(sql: "select count(*) from chat.outbox")
        return text.split(separator: "\n").first.flatMap { Int($0) } ?? 0
    }

    /// Does what gateways do all the time: takes what is to be pushed off its stream, but for the last entries.
    func takePushes() throws {
        let redis = try RawConnection(port: service.redis.port)
        try redis.send("XTRIM push MAXLEN 1000\r\n")
        _ = try redis.receive(until: "\r\n")
    }

    func stop() async {
        await service.stop()
        await peers.stop()
    }
}
