/// The JSON text of a `json` or `jsonb` parameter or column.
public struct PostgresJSON: PostgresValue, PostgresElement, Equatable {
    /// The text in UTF-8.
    public let bytes: [UInt8]

    /// Wraps JSON text, which the server validates.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public static var postgresType: PostgresType { .inferred }
    public static var arrayType: PostgresType { PostgresType(oid: 3807) }

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        if self.bytes.contains(0) { throw .nulInText }
        bytes.append(contentsOf: self.bytes)
    }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> PostgresJSON {
        PostgresJSON(Array(try column.text()))
    }
}
