/// What can be a parameter of a statement and be read from a column.
public protocol PostgresValue: Sendable {
    /// How a parameter of this type is declared.
    static var postgresType: PostgresType { get }
    /// Whether this is SQL's NULL; then `encode` is not called.
    var isNull: Bool { get }
    /// Appends the value's form on the wire.
    func encode(into bytes: inout [UInt8]) throws(PostgresError)
    /// Reads a column; only an optional accepts NULL.
    static func decode(_ column: PostgresColumn) throws(PostgresError) -> Self
}

extension PostgresValue {
    public var isNull: Bool { false }
}

extension Optional: PostgresValue where Wrapped: PostgresValue {
    public static var postgresType: PostgresType { Wrapped.postgresType }

    public var isNull: Bool { self == nil }

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        if let value = self { try value.encode(into: &bytes) }
    }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Wrapped? {
        column.isNull ? nil : try Wrapped.decode(column)
    }
}
