extension Int64: PostgresValue {
    public static var postgresType: PostgresType { .int8 }

    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: self) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Int64 {
        try column.integer(as: Int64.self)
    }
}

extension Int: PostgresValue {
    public static var postgresType: PostgresType { .int8 }

    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: Int64(self)) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Int {
        try column.integer(as: Int.self)
    }
}

extension Int32: PostgresValue {
    public static var postgresType: PostgresType { .int4 }

    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: self) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Int32 {
        try column.integer(as: Int32.self)
    }
}

extension Int16: PostgresValue {
    public static var postgresType: PostgresType { .int2 }

    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: self) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Int16 {
        try column.integer(as: Int16.self)
    }
}

extension Bool: PostgresValue {
    public static var postgresType: PostgresType { .bool }

    public func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Bool {
        try column.bytes(ofType: [PostgresType.bool.oid], as: Bool.self)[0] != 0
    }
}

extension Double: PostgresValue {
    public static var postgresType: PostgresType { .float8 }

    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: bitPattern) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Double {
        let bytes = try column.bytes(ofType: [PostgresType.float8.oid, 700], as: Double.self)
        return bytes.count == 4
            ? Double(Float(bitPattern: bytes.bigEndian(at: 0, as: UInt32.self)))
            : Double(bitPattern: bytes.bigEndian(at: 0, as: UInt64.self))
    }
}
