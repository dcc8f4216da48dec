extension Array: PostgresValue where Element: PostgresElement {
    public static var postgresType: PostgresType { Element.arrayType }

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try Element.encode(self, into: &bytes) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> [Element] {
        try Element.decodeArray(column)
    }
}

/// What an array that is a parameter or a column may be made of: a Swift array of bytes is a `bytea`,
/// any other an array.
public protocol PostgresElement: Sendable {
    /// How an array of it is declared.
    static var arrayType: PostgresType { get }
    /// Appends the array's form on the wire.
    static func encode(_ values: [Self], into bytes: inout [UInt8]) throws(PostgresError)
    /// Reads an array.
    static func decodeArray(_ column: PostgresColumn) throws(PostgresError) -> [Self]
}

extension UInt8: PostgresElement {
    public static var arrayType: PostgresType { .bytes }

    public static func encode(_ values: [UInt8], into bytes: inout [UInt8]) { bytes.append(contentsOf: values) }

    public static func decodeArray(_ column: PostgresColumn) throws(PostgresError) -> [UInt8] {
        if column.oid == PostgresType.bytes.oid, let bytes = column.bytes { return Array(bytes) }
        return Array(try column.text())
    }
}
