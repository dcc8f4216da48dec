extension String: PostgresValue {
    public static var postgresType: PostgresType { .inferred }

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        let start = bytes.count
        bytes.append(contentsOf: utf8)
        if bytes[start...].contains(0) { throw .nulInText }
    }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> String {
        String(decoding: try column.text(), as: UTF8.self)
    }
}

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value {
        Value(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
