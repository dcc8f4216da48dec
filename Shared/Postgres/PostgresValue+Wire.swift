public import Wire

extension ID: PostgresValue, PostgresElement {
    public static var postgresType: PostgresType { .int8 }

    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: rawValue) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> ID {
        ID(try Int64.decode(column))
    }
}

/// A time is stored as a `bigint`: milliseconds since 1970, in every schema of the product.
extension Timestamp: PostgresValue, PostgresElement {
    public static var postgresType: PostgresType { .int8 }

    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: milliseconds) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Timestamp {
        Timestamp(milliseconds: try Int64.decode(column))
    }
}
