/// The type and format in which a parameter is sent.
public struct PostgresType: Sendable, Equatable {
    /// The OID of the type; 0 lets the server infer the type from the statement.
    public let oid: UInt32
    /// The OID of the array of this type.
    let arrayOID: UInt32
    /// Sent as text, which the server parses as the type that it infers.
    let isText: Bool

    init(oid: UInt32, arrayOID: UInt32 = 0, isText: Bool = false) {
        self.oid = oid
        self.arrayOID = arrayOID
        self.isText = isText
    }

    static let bool = PostgresType(oid: 16, arrayOID: 1000)
    static let bytes = PostgresType(oid: 17, arrayOID: 1001)
    static let int8 = PostgresType(oid: 20, arrayOID: 1016)
    static let int2 = PostgresType(oid: 21, arrayOID: 1005)
    static let int4 = PostgresType(oid: 23, arrayOID: 1007)
    static let float8 = PostgresType(oid: 701, arrayOID: 1022)
    /// Text of a type that the server infers, so that a string may be a uuid, an enum or jsonb.
    static let inferred = PostgresType(oid: 0, arrayOID: 1009, isText: true)
    /// The element type that an array of strings declares.
    static let textOID: UInt32 = 25

    /// The types with a binary form that is not text; any other type may be read as a string.
    static let binaryOIDs: Set<UInt32> = [
        16, 17, 20, 21, 23, 26, 700, 701, 1082, 1083, 1114, 1184, 1186, 1266, 1700, 2950,
        1000, 1001, 1005, 1007, 1009, 1015, 1016, 1021, 1022, 1115, 1185, 1231, 2951, 3807,
    ]
}
