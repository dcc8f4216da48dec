extension Array: PostgresValue where Element: PostgresElement {
    public static var postgresType: PostgresType { Element.arrayType }

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try Element.encode(self, into: &bytes) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> [Element] {
        try Element.decodeArray(column)
    }
}

/// The element of an array that is a parameter or a column. A Swift array of bytes is a `bytea`; any other is an SQL array.
public protocol PostgresElement: Sendable {
    /// The type of a parameter that is an array of these elements.
    static var arrayType: PostgresType { get }
    /// Appends the encoded array.
    static func encode(_ values: [Self], into bytes: inout [UInt8]) throws(PostgresError)
    /// Decodes an array.
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
