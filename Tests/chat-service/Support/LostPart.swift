import Contract
import Postgres
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

extension ChatDatabase {
    /// Calls `body` with the workspaces within reach, while a part of these tables of the schema `parts` is not, and returns them. The
    /// workspace 3 is in another part.
    ///
    /// - Parameter others: other parts of tables that are out of reach as well.
    @discardableResult
    func losing(
        _ tables: [String], and others: [String] = [],
        _ body: @escaping @Sendable (_ reachable: Set<WorkspaceID>) async throws -> Void
    ) async throws -> Set<WorkspaceID> {
        let part = try await ask(
            """
            select min(substring(tableoid::regclass::text from '_p[0-9]+$')) from parts.room
            where tableoid <> (select distinct tableoid from parts.room where workspace = 3)
            """)
        let reachable = try await ask(
            "select workspace from parts.room where tableoid::regclass::text !~ '\(part)$' order by 1"
        ).workspaces
        let all = try await ask("select workspace from parts.room").workspaces
        try #require(reachable.contains(WorkspaceID(3)) && reachable.count < all.count)
        // A lock stands for a server that gives no answer.
        try await run(1) { pool in
            try await pool.within(.seconds(3600)).transaction { tx in
                try await tx.execute(.waitForLong)
                for name in tables.map({ $0 + part }) + others {
                    let sql = "lock table parts.\(name) in access exclusive mode"
                    try await tx.execute(.write("lock part", unprepared: sql))
                }
                try await body(reachable)
            }
        }
        return reachable
    }
}

/// A schema in parts, for tests that lose one of them.
enum LostPart {
    static let workspaces = Set((Int64(3)...7).map { WorkspaceID($0) })

    /// Calls `body` with a schema in parts that has a channel with a message in each workspace.
    static func use(_ sql: String, _ body: (ChatDatabase) async throws -> Void) async throws {
        let database = try await ChatDatabase(pools: 3, schema: "parts,chat")
        try await database.lent { database in
            try await database.divide()
            _ = try await database.ask(
                """
                -- The planner looks at a plan for all parts otherwise, and waits for the lock. The third pool has no session yet.
                alter database "\(database.database.name)" set plan_cache_mode = force_custom_plan;
                insert into parts.room (workspace, kind, id, name, last_seq)
                    select w, 1, w, 'general', 1 from generate_series(3, 7) w;
                \(sql)
                """)
            try await body(database)
        }
    }

    /// - Parameter pause: how long a part is left out after it has given no answer.
    static func finder(_ database: ChatDatabase, pause: Duration = .seconds(600)) -> WorkspaceFinder {
        WorkspaceFinder(
            database: database.pools[2], wide: WideReads(isDivided: true, pause: pause), limit: .seconds(60).patiently)
    }

    /// Makes the list of workspaces, as an instance does that ends before the part is lost.
    static func list(in database: ChatDatabase) async throws {
        let earlier = finder(database)
        try await database.run(2) { _ in try await earlier.refreshRooms() }
    }
}

extension String {
    /// The ids of workspaces in the lines of an answer.
    var workspaces: Set<WorkspaceID> { Set(split(separator: "\n").compactMap { Int64($0) }.map { WorkspaceID($0) }) }
}
