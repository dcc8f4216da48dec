/// Enumerations with raw values: such a type conforms to `PostgresValue` by saying so, and travels as its raw value.
extension PostgresValue where Self: RawRepresentable, RawValue: PostgresValue {
    public static var postgresType: PostgresType { RawValue.postgresType }

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try rawValue.encode(into: &bytes) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Self {
        guard let value = Self(rawValue: try RawValue.decode(column)) else { throw column.mismatch(Self.self) }
        return value
    }
}
