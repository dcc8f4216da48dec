import LoadClient
import ServiceSupport
import TestSupport

/// The built chat-service under load, on a Postgres and a Redis that write to disk as in production.
final class LoadedChat: Stoppable {
    let service: LoadedService
    let peers: StubServer<PeerStub>

    /// - Parameter indexShare: the percent of the time in which the search index is written; nil for the default.
    init(indexShare: String? = nil) async throws {
        peers = try StubServer()
        var settings = ["auth_url": peers.url, "workspace_url": peers.url]
        settings["search_index_share"] = indexShare
        service = try await LoadedService.start(
            "chat-service",
            postgres: ["checkpoint_timeout=30min", "min_wal_size=2GB", "max_wal_size=8GB"],
            settings
        ) { database in
            // Recycled WAL segments cost less than new ones, so the log is filled first, as on a server that has run
            // for a while.
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

    /// The number of committed batches.
    func batches() async throws -> Int {
        let text = try await database.run(sql: "select count(*) from chat.outbox")
        return text.split(separator: "\n").first.flatMap { Int($0) } ?? 0
    }

    /// Trims the stream of pushes to its last entries, like gateways do.
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
