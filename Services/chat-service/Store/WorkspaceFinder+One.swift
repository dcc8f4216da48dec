import Contract
import Postgres
import Wire

extension WorkspaceFinder {
    /// No part within reach has the row, and a part out of reach may have it.
    private static let outOfReach = Failure(
        .serverError, "A part of the database is out of reach, and may have the data.", status: 503,
        retryAfter: .seconds(1))

    /// Reads one row, for callers that do not know its workspace; nil if there is none. While a part is out of reach, the others are
    /// read.
    ///
    /// - Parameters:
    ///   - all: looks in all workspaces.
    ///   - among: looks in some workspaces, which are in one part.
    /// - Throws: E99 if a part is out of reach and no other has the row.
    func findOne<Value: Sendable>(
        all: (PostgresTransaction) async throws -> Value?,
        among: @escaping @Sendable (PostgresTransaction, [WorkspaceID]) async throws -> Value?
    ) async throws -> Value? {
        let rows: (found: [Value], isComplete: Bool) = try await search(
            .rooms, and: [],
            all: { tx in
                let value = try await all(tx)
                return value.map { [$0] } ?? []
            },
            among: { tx, part in
                let value = try await among(tx, part)
                return value.map { [$0] } ?? []
            })
        guard rows.isComplete || !rows.found.isEmpty else { throw Self.outOfReach }
        return rows.found.first
    }
}
