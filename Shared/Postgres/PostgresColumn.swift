/// One value of a result while it is decoded. Its bytes are valid as long as the result.
public struct PostgresColumn {
    /// The position in the row, from 0.
    public let index: Int
    /// The OID of the type.
    public let oid: UInt32
    /// The binary form; nil for NULL.
    public let bytes: UnsafeRawBufferPointer?

    /// Whether the column is NULL.
    public var isNull: Bool { bytes == nil }

    /// The binary form of a value of one of the given types.
    func bytes(ofType oids: [UInt32], as wanted: Any.Type) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard let bytes, oids.contains(oid) else { throw mismatch(wanted) }
        return bytes
    }

    /// An integer column of any width, if its value fits.
    func integer<Value: FixedWidthInteger>(as type: Value.Type) throws(PostgresError) -> Value {
        guard let bytes else { throw mismatch(type) }
        let wide: Int64
        switch oid {
        case PostgresType.int8.oid: wide = bytes.bigEndian(at: 0, as: Int64.self)
        case PostgresType.int4.oid: wide = Int64(bytes.bigEndian(at: 0, as: Int32.self))
        case PostgresType.int2.oid: wide = Int64(bytes.bigEndian(at: 0, as: Int16.self))
        case 26: wide = Int64(bytes.bigEndian(at: 0, as: UInt32.self))
        default: throw mismatch(type)
        }
        guard let value = Value(exactly: wide) else { throw mismatch(type) }
        return value
    }

    /// The characters of a text, varchar, json, jsonb, enum, …
    func text() throws(PostgresError) -> UnsafeRawBufferPointer {
        guard let bytes, !PostgresType.binaryOIDs.contains(oid) else { throw mismatch(String.self) }
        // The binary form of jsonb is a version byte and the text.
        return oid == 3802 ? UnsafeRawBufferPointer(rebasing: bytes.dropFirst()) : bytes
    }

    /// The error for a column that cannot be read as the wanted type.
    public func mismatch(_ wanted: Any.Type) -> PostgresError {
        let found = isNull ? "null" : "type \(oid)"
        return PostgresError(.unexpectedColumn, message: "column \(index) is \(found), read as \(wanted)")
    }
}
