/// An enumeration with raw values conforms to `PostgresValue` by its declaration alone and is encoded as its raw value.
extension PostgresValue where Self: RawRepresentable, RawValue: PostgresValue {
    public static var postgresType: PostgresType { RawValue.postgresType }

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try rawValue.encode(into: &bytes) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Self {
        guard let value = Self(rawValue: try RawValue.decode(column)) else { throw column.mismatch(Self.self) }
        return value
    }
}
