import Postgres
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Bounds of a search", .serialized)
struct SearchBoundsTests {
    private static let lock = Statement.write("lock index", "lock table search_message in access exclusive mode")
    private static let lockReactions = Statement.write(
        "lock reactions", "lock table reaction in access exclusive mode")
    private static let wait = Statement.write("wait long", "set local idle_in_transaction_session_timeout = 0")

    /// Runs `body` while no statement can read the index, or another locked table.
    private static func locking(
        _ chat: ChatHarness, _ lock: Statement = Self.lock, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await chat.database.run { pool in
            try await pool.transaction { tx in
                try await tx.query(wait)
                try await tx.query(lock)
                try await body()
            }
        }
    }

    @Test("S3 A search that reaches search_timeout answers what it has, and says that it is not complete")
    func time() async throws {
        try await ChatHarness.use(["search_timeout": "100ms"]) { chat in
            _ = try await chat.send("회의")
            try await chat.untilIndexed()
            try await Self.locking(chat) {
                let reply = try await chat.search("회의")
                #expect(reply.status == 200)
                #expect(try reply.json["complete"]?.bool == false)
                #expect(try reply.json["items"]?.elements.map(Array.init)?.isEmpty == true)
            }
            // A busy machine can exceed so short a time without a lock as well.
            try await eventually("a complete search") {
                let json = try await chat.search("회의").json
                return json["complete"]?.bool == true && json["items"]?.elements.map(Array.init)?.count == 1
            }
        }
    }

    @Test("S3 The time-out includes the reading of the messages that the index offers")
    func timeOfMessages() async throws {
        try await ChatHarness.use(["search_timeout": "200ms"]) { chat in
            for text in ["회의 하나", "회의 둘"] { _ = try await chat.send(text) }
            // The details of a changed message are read.
            _ = try await chat.call("PUT", ChatHarness.channel + "/chats/1", json: #"{"content":"회의 셋"}"#)
            try await chat.untilIndexed()
            try await Self.locking(chat, Self.lockReactions) {
                let reply = try await chat.search("회의")
                #expect(reply.status == 200)
                #expect(try reply.json["complete"]?.bool == false)
            }
            try await eventually("a complete search") { try await chat.search("회의").json["complete"]?.bool == true }
        }
    }

    @Test("A user runs two searches at a time; one more is refused with E98, and searches of others are not")
    func number() async throws {
        try await ChatHarness.use(["search_timeout": "60s", "database_connections": "8"]) { chat in
            _ = try await chat.send("회의")
            try await chat.untilIndexed()
            let running = try await Self.lockedSearches(chat)
            #expect(running == [200, 200, 200])
            #expect(try await chat.found("회의") == ["회의"])
        }
    }

    /// Holds two searches of user 1 at a lock, checks the answer to a third one, and starts one of user 2. Returns the
    /// statuses of those that were not refused.
    private static func lockedSearches(_ chat: ChatHarness) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { searches in
            @Sendable func untilLocked(_ count: Int) async throws {
                try await eventually("\(count) searches at the lock") {
                    try await chat.database.ask(
                        """
                        select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
                            and query like '%search_message where workspace%'
                        """
                    ) == "\(count)"
                }
            }
            let (locked, locking) = AsyncStream.makeStream(of: Void.self)
            let (ended, ending) = AsyncStream.makeStream(of: Void.self)
            let lock = Task {
                try await Self.locking(chat) {
                    locking.yield()
                    for await _ in ended { break }
                }
            }
            for await _ in locked { break }
            for _ in 0..<2 { searches.addTask { try await chat.search("회의").status } }
            try await untilLocked(2)
            let third = try await chat.search("회의")
            #expect(third.status == 429)
            #expect(third.errorCode == "E98")
            #expect(third.headers["retry-after"] == "1")
            searches.addTask { try await chat.search("회의", user: 2).status }
            try await untilLocked(3)
            ending.yield()
            try await lock.value
            return try await searches.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("Neither the service nor Postgres, as it is deployed, logs a query or a message, not even of a failed search")
    func logs() async throws {
        let settings = try Self.deployedLogSettings() + ["log_min_duration_statement=0", "log_min_messages=warning"]
        let cluster = try await PostgresCluster.start(settings)
        let file = LogFile()
        do {
            try await ChatHarness.use(["search_timeout": "100ms"], on: cluster, log: file.log(.debug)) { chat in
                _ = try await chat.send("극비문서 인수합병")
                try await chat.untilIndexed()
                // A busy machine can exceed so short a time.
                try await eventually("a whole search") { try await chat.found("극비문서") == ["극비문서 인수합병"] }
                try await Self.locking(chat) { _ = try await chat.search("극비문서") }
                _ = try await chat.call("GET", "/v1/workspaces/3/find?q=\(PercentEncoding.strict.encode("극비문서"))")
                _ = try await chat.database.database.run(sql: "alter table chat.search_message rename to hidden")
                let failed = try await chat.search("극비문서")
                #expect(failed.status == 500)
            }
        } catch {
            await cluster.stop()
            throw error
        }
        let logs = [try await file.text(), try String(contentsOfFile: cluster.log)]
        await cluster.stop()
        #expect(logs[0].contains("/v1/workspaces/{id}/search"))
        #expect(logs[1].contains("from search_message"))
        for log in logs {
            for secret in ["극비", "%EA%B7%B9", "인수합병", "parameters:"] { #expect(!log.contains(secret), "\(secret)") }
        }
    }

    /// The settings of the deployed Postgres for its log.
    private static func deployedLogSettings() throws -> [String] {
        let deploy = ServiceUnderTest.clients.split(separator: "/").dropLast().joined(separator: "/")
        return try String(contentsOfFile: "/\(deploy)/postgres/postgresql.conf").split(separator: "\n")
            .filter { $0.hasPrefix("log_") && !$0.hasPrefix("log_timezone") }
            .map { line in
                let parts = line.split(separator: "=", maxSplits: 1)
                return parts[0].filter { $0 != " " } + "=" + parts[1].drop { $0 == " " }.filter { $0 != "'" }
            }
    }
}
