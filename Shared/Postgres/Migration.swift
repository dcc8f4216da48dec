/// One step of a schema's history: SQL that is applied once, in a transaction, and never edited afterwards.
public struct Migration: Sendable {
    /// The number in the order, from 1.
    public let number: Int
    /// A short description, such as `create_users`.
    public let name: String
    /// SQL statements in UTF-8.
    public let sql: [UInt8]
    /// Whether the SQL is one statement that does a part of the work and returns whether nothing is left. It runs again, each time
    /// in its own transaction, until it returns true, so that the rows of a large table are locked for moments only.
    public let isInPortions: Bool

    public init(number: Int, name: String, sql: [UInt8], isInPortions: Bool = false) {
        self.number = number
        self.name = name
        self.sql = sql
        self.isInPortions = isInPortions
    }

    /// Reads number and name from a file name such as `0001_create_users.sql`; nil for any other form.
    public init?(file: String, sql: [UInt8]) {
        guard file.hasSuffix(".sql"), let separator = file.firstIndex(of: "_"), let number = Int(file[..<separator]),
            number > 0
        else { return nil }
        self.init(number: number, name: String(file[file.index(after: separator)...].dropLast(4)), sql: sql)
    }
}

/// The reason why a schema cannot be migrated.
public enum MigrationError: Error, Sendable, Equatable {
    /// Two migrations have the same number, or the list is not in order.
    case unordered(Int)
    /// An applied migration differs from the migration with this number in the program.
    case changed(Int, name: String)
    /// The migration was not applied although a later one was.
    case missing(Int)
    /// The database has a migration that is newer than all of the program's.
    case newer(Int)
    /// The schema is to be divided by an extension that the database lacks.
    case noExtension(String)
    /// A migration failed and was rolled back.
    case failed(Int, name: String, PostgresError)
}
