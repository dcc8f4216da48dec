/// One step of a schema's history: SQL that is applied once, in a transaction, and never changed afterwards.
public struct Migration: Sendable {
    /// Its place in the order, from 1.
    public let number: Int
    /// What it does, such as `create_users`.
    public let name: String
    /// Statements of SQL, UTF-8.
    public let sql: [UInt8]

    public init(number: Int, name: String, sql: [UInt8]) {
        self.number = number
        self.name = name
        self.sql = sql
    }

    /// Takes number and name from a file name such as `0001_create_users.sql`; nil where it is not of this form.
    public init?(file: String, sql: [UInt8]) {
        guard file.hasSuffix(".sql"), let separator = file.firstIndex(of: "_"), let number = Int(file[..<separator]),
            number > 0
        else { return nil }
        self.init(number: number, name: String(file[file.index(after: separator)...].dropLast(4)), sql: sql)
    }
}

/// Why a schema's history cannot be continued.
public enum MigrationError: Error, Sendable, Equatable {
    /// Two steps have the same number, or the list is not in order.
    case unordered(Int)
    /// An applied step is not the one of this number here any more.
    case changed(Int, name: String)
    /// The database is ahead: it has a step that is unknown here and older than one that is to be applied.
    case missing(Int)
    /// A step failed and was undone.
    case failed(Int, name: String, PostgresError)
}
