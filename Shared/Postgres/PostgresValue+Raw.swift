/// Enumerations whose cases are texts: such a type conforms to `PostgresValue` by saying so.
extension PostgresValue where Self: RawRepresentable<String> {
    public static var postgresType: PostgresType { String.postgresType }

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) { try rawValue.encode(into: &bytes) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Self {
        guard let value = Self(rawValue: try String.decode(column)) else { throw column.mismatch(Self.self) }
        return value
    }
}
