/// A value that can be a parameter of a statement and be read from a column.
public protocol PostgresValue: Sendable {
    /// The type of a parameter.
    static var postgresType: PostgresType { get }
    /// Whether the value is SQL's NULL, which `encode` is not called for.
    var isNull: Bool { get }
    /// Appends the encoded value.
    func encode(into bytes: inout [UInt8]) throws(PostgresError)
    /// Decodes a column; only an optional accepts NULL.
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
