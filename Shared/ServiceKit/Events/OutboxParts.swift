public import Postgres

/// Reads of all workspaces for the relay of an outbox that is divided by workspace. While a part of it is out of reach, the relay
/// continues for the workspaces of all other parts.
public protocol OutboxParts: Sendable {
    /// Makes a read that needs all parts; nil if one of them is out of reach.
    func attempt<Value: Sendable>(_ read: (PostgresTransaction) async throws -> Value) async throws -> Value?

    /// The workspaces that may have rows.
    func workspacesWithRows() async throws -> Set<Int64>

    /// Reads rows of some workspaces, of each part alone. Those of parts that are out of reach are missing.
    func find<Value: Sendable>(
        among workspaces: Set<Int64>,
        _ read: @escaping @Sendable (PostgresTransaction, [Int64]) async throws -> [Value]
    ) async throws -> [Value]
}

extension OutboxParts {
    /// Reads rows of all workspaces: of all parts together, or of each one alone.
    func find<Value: Sendable>(
        all: (PostgresTransaction) async throws -> [Value],
        among: @escaping @Sendable (PostgresTransaction, [Int64]) async throws -> [Value]
    ) async throws -> [Value] {
        if let found = try await attempt(all) { return found }
        return try await find(among: try await workspacesWithRows(), among)
    }

    /// The parts within reach of some workspaces.
    func reachable(among workspaces: Set<Int64>) async throws -> [[Int64]] {
        try await find(among: workspaces) { tx, part in
            _ = try await tx.query(OutboxPartStatements.reach, part)
            return [part]
        }
    }
}
