import Contract
import Postgres

/// Runs a statement that sets a name, and throws `Failure.nameTaken` if the unique index on names rejects it.
func rejectingTakenName<Result>(_ statement: () async throws -> Result) async throws -> Result {
    do {
        return try await statement()
    } catch let error as PostgresError where error.isUniqueViolation() {
        throw Failure.nameTaken
    }
}
