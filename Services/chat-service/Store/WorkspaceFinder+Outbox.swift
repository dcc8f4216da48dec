import Postgres
import ServiceKit
import Wire

/// The parts of the outbox. A workspace with messages has a room.
extension WorkspaceFinder: OutboxParts {
    /// Rows of the workspace 0 are older than the division of the outbox.
    func workspacesWithRows() async throws -> Set<Int64> {
        Set(try await list(of: .rooms).map(\.rawValue)).union([0])
    }

    func find<Value: Sendable>(
        among workspaces: Set<Int64>,
        _ read: @escaping @Sendable (PostgresTransaction, [Int64]) async throws -> [Value]
    ) async throws -> [Value] {
        try await find(in: Set(workspaces.map { WorkspaceID($0) })) { tx, part in
            try await read(tx, part.map(\.rawValue))
        }
    }
}
