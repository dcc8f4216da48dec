import Postgres
import ServiceSupport
import TestSupport
import Wire

@testable import chat_service

extension ChatHarness {
    /// Searches workspace 3.
    func search(_ query: String, _ parameters: String = "", user: Int64 = 1) async throws -> HTTPCall.Reply {
        try await call(
            "GET", "/v1/workspaces/3/search?q=\(PercentEncoding.strict.encode(query))\(parameters)", user: user)
    }

    /// The contents of the messages that a search finds, newest first.
    func found(_ query: String, _ parameters: String = "", user: Int64 = 1) async throws -> [String] {
        let reply = try await search(query, "&limit=200" + parameters, user: user)
        guard reply.status == 200, let items = try reply.json["items"]?.elements else {
            throw NeverHappened(description: "\(query): \(reply.status) \(reply.text)")
        }
        return items.compactMap { $0["message"]?["content"]?.string }
    }

    /// The contents of the messages on all pages of a search.
    func foundOnAllPages(_ query: String, _ parameters: String = "") async throws -> [String] {
        var (contents, cursor): ([String], String) = ([], "")
        repeat {
            let page = try await search(query, "&limit=200&cursor=\(cursor)\(parameters)").json
            guard let items = page["items"]?.elements else { throw NeverHappened(description: "\(query): \(page)") }
            contents += items.compactMap { $0["message"]?["content"]?.string }
            cursor = page["next"]?.string ?? ""
        } while !cursor.isEmpty
        return contents
    }

    /// The value of a metric without labels; -1 if there is none.
    func metric(_ name: String) async throws -> Double {
        let page = try await instances[0].internalCall("GET", "/metrics").text
        let line = page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) } ?? -1
    }

    /// Waits until every message and change is in the index.
    func untilIndexed(within limit: Duration = .seconds(30)) async throws {
        try await eventually(within: limit, "the index") {
            try await self.database.ask(
                """
                select count(*) from chat.room left join chat.search_progress p
                    on p.workspace = room.workspace and p.kind = room.kind and p.room = room.id
                where not room.is_closed and (p.room is null or room.last_seq > p.seq or room.rev > p.rev
                    or p.form <> \(SearchEntry.form))
                """) == "0"
        }
    }

    /// Runs `body` while no statement can read a table.
    func locking(
        _ table: String, in mode: String = "access exclusive", _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await database.run { pool in
            try await pool.transaction { tx in
                try await tx.execute(.waitForLong)
                try await tx.query(
                    Statement.write("lock table", unprepared: "lock table \(table) in \(mode) mode"))
                try await body()
            }
        }
    }
}
