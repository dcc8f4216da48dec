public import Contract
public import Postgres
public import Wire

/// The tables of a service that an export contains, read section by section and page by page.
///
/// A cursor names a section and a key in it, so that it stays valid if a release adds sections.
public struct ExportTables: Sendable {
    private let database: PostgresPool
    private let sections: [ExportSection]

    public init(_ sections: [ExportSection], in database: PostgresPool) {
        self.sections = sections
        self.database = database
    }

    /// The names of the sections.
    public var names: [String] { sections.map(\.name) }

    /// A page of a user's rows.
    ///
    /// - Parameter cursor: the `next` of the page before; nil for the first page.
    public func page(of user: UserID, after cursor: String?) async throws -> ExportPage {
        guard var position = Self.position(cursor, in: sections) else { throw Failure.invalid("cursor is not valid.") }
        var (page, bytesLeft) = (ExportPage(), ExportPage.mostBytes)
        // A page ends with the first section that has more rows, so that it has at most one long section.
        while position.index < sections.count {
            let section = sections[position.index]
            let rows = try await rows(of: user, in: section, after: position.key, limit: section.rows)
            let fitting = rows.fitting(in: bytesLeft)
            page.append(fitting, to: section.name)
            if rows.count == section.rows || fitting.count < rows.count, let last = fitting.last {
                page.next = "\(section.name):\(last.key)"
                return page
            }
            bytesLeft -= fitting.reduce(0) { $0 + $1.record.count }
            position = (position.index + 1, "")
        }
        return page
    }

    private func rows(
        of user: UserID, in section: ExportSection, after key: String, limit: Int
    ) async throws -> [ExportRow] {
        try await database.query(section.statement, user, key, limit).map(ExportRow.init(row:))
    }

    private static func position(_ cursor: String?, in sections: [ExportSection]) -> (index: Int, key: String)? {
        guard let cursor else { return (0, "") }
        let parts = cursor.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let index = sections.firstIndex(where: { $0.name == parts[0] }) else { return nil }
        return (index, String(parts[1]))
    }
}

/// A row of a section.
public struct ExportRow: Sendable {
    /// Its place in the order of the section.
    public let key: String
    /// One JSON object.
    public let record: [UInt8]
    /// The name in the file store of the file that belongs to it; nil for none.
    public let file: String?

    /// Reads the columns key, record and file.
    public init(row: inout Row) throws(PostgresError) {
        key = try row.next()
        record = Array(try row.next(as: String.self).utf8)
        file = try row.next()
    }
}

extension [ExportRow] {
    /// The first rows with at most `bytes` bytes of records together, and at least one row.
    public func fitting(in bytes: Int) -> ArraySlice<ExportRow> {
        var left = bytes
        let end = indices.first { index in
            left -= self[index].record.count
            return left < 0 && index > startIndex
        }
        return self[..<(end ?? endIndex)]
    }
}

extension ExportPage {
    /// The most bytes of a page's records, but for one row of each section that is longer. A record has less than half a megabyte,
    /// and `InternalClient` reads replies of at most 8 MiB.
    public static let mostBytes = 4 << 20

    /// Appends the rows of a section, if there are any.
    public mutating func append(_ rows: some Collection<ExportRow>, to section: String) {
        if rows.isEmpty { return }
        sections.append(Section(name: section, records: rows.map(\.record)))
        files += rows.compactMap(\.file)
    }
}
