import ServiceSupport
import Synchronization
import Telemetry
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Bounds of a search", .serialized)
struct SearchBoundsTests {
    /// The reply to a search. A busy machine may not even open a connection to the database in so short a time: then once more.
    private static func reply(_ chat: ChatHarness) async throws -> JSONValue {
        let found = Mutex<JSONValue?>(nil)
        try await eventually("a reply") {
            let reply = try await chat.search("회의")
            guard reply.status == 200 else { return false }
            let json = try reply.json
            found.withLock { $0 = json }
            return true
        }
        let json = found.withLock(\.self)
        return try #require(json)
    }

    @Test("S3 A search that reaches search_timeout returns its matches so far, and says that they are not complete")
    func time() async throws {
        try await ChatHarness.use(["search_timeout": "500ms"]) { chat in
            _ = try await chat.send("회의")
            try await chat.untilIndexed()
            try await chat.locking("search_message") {
                let json = try await Self.reply(chat)
                #expect(json["complete"]?.bool == false)
                #expect(json["items"]?.elements.map(Array.init)?.isEmpty == true)
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
        // Nothing else ends the wait for the lock.
        try await ChatHarness.use(["search_timeout": "500ms", "database_timeout": "3600s"]) { chat in
            for text in ["회의 하나", "회의 둘"] { _ = try await chat.send(text) }
            // The details of a changed message are read.
            _ = try await chat.call("PUT", ChatHarness.channel + "/chats/1", json: #"{"content":"회의 셋"}"#)
            try await chat.untilIndexed()
            try await chat.locking("reaction") {
                let reply = try await Self.reply(chat)
                #expect(reply["complete"]?.bool == false)
            }
            try await eventually("a complete search") { try await chat.search("회의").json["complete"]?.bool == true }
        }
    }

    @Test("S3 A search says that it is not complete if the marks of the index cannot be read")
    func marks() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("회의")
            try await chat.untilIndexed()
            try await eventually("a complete search") { try await chat.search("회의").json["complete"]?.bool == true }
            _ = try await chat.database.database.run(sql: "alter table chat.search_partition rename to hidden")
            let reply = try await chat.search("회의")
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try reply.json["complete"]?.bool == false)
            #expect(try reply.json["items"]?.elements.map(Array.init)?.count == 1)
        }
    }

    @Test("S3 A search has its matches although the marks of the index give no answer")
    func silentMarks() async throws {
        // Less than `database_timeout`, which would end the wait for the marks.
        try await ChatHarness.use(["search_timeout": "4s"]) { chat in
            _ = try await chat.send("회의")
            try await chat.untilIndexed()
            try await chat.locking("search_partition") {
                try await eventually(within: .seconds(60), "the match") {
                    let reply = try await chat.search("회의")
                    // A machine that stands still takes the time of a search.
                    guard reply.status == 200 else { return false }
                    let json = try reply.json
                    #expect(json["complete"]?.bool == false)
                    return json["items"]?.elements.map(Array.init)?.count == 1
                }
            }
        }
    }

    @Test(
        "D3: neither the service nor Postgres, as it is deployed, logs a query or a message, not even of a failed search"
    )
    func logs() async throws {
        let settings = try Self.deployedLogSettings() + ["log_min_duration_statement=0", "log_min_messages=warning"]
        let cluster = try await PostgresCluster.start(settings)
        let file = LogFile()
        do {
            try await ChatHarness.use(["search_timeout": "500ms"], on: cluster, log: file.log(.debug)) { chat in
                _ = try await chat.send("극비문서 인수합병")
                try await chat.untilIndexed()
                // A busy machine can exceed so short a time.
                try await eventually("a whole search") { (try? await chat.found("극비문서")) == ["극비문서 인수합병"] }
                try await chat.locking("search_message") { _ = try await chat.search("극비문서") }
                _ = try await chat.call("GET", "/v1/workspaces/3/find?q=\(PercentEncoding.strict.encode("극비문서"))")
                _ = try await chat.database.database.run(sql: "alter table chat.search_message rename to hidden")
                // On a busy machine the time may be over before the index is asked.
                try await eventually("a failed search") { try await chat.search("극비문서").status == 500 }
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
