public import Postgres
public import ServiceKit

extension Outbox {
    /// The migrations of a schema that has an outbox and nothing else.
    public static let migrations = [migration(number: 1), timesMigration(number: 2)]
}
