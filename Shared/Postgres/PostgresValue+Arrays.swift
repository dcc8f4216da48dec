extension PostgresElement where Self: PostgresValue {
    public static var arrayType: PostgresType { PostgresType(oid: postgresType.arrayOID) }

    public static func encode(_ values: [Self], into bytes: inout [UInt8]) throws(PostgresError) {
        let element = postgresType.isText ? PostgresType.textOID : postgresType.oid
        let header: [Int32] = [values.isEmpty ? 0 : 1, values.contains { $0.isNull } ? 1 : 0, Int32(element)]
        for field in header { bytes.append(bigEndian: field) }
        if values.isEmpty { return }
        bytes.append(bigEndian: Int32(values.count))
        bytes.append(bigEndian: 1 as Int32)
        for value in values {
            let start = bytes.count
            bytes.append(bigEndian: -1 as Int32)
            if value.isNull { continue }
            try value.encode(into: &bytes)
            let length = Int32(bytes.count - start - 4)
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: length.bigEndian, toByteOffset: start, as: Int32.self) }
        }
    }

    public static func decodeArray(_ column: PostgresColumn) throws(PostgresError) -> [Self] {
        guard let bytes = column.bytes, bytes.count >= 12 else { throw column.mismatch([Self].self) }
        let dimensions = bytes.bigEndian(at: 0, as: Int32.self)
        let oid = bytes.bigEndian(at: 8, as: UInt32.self)
        if dimensions == 0 { return [] }
        guard dimensions == 1, bytes.count >= 20 else { throw column.mismatch([Self].self) }
        let count = Int(bytes.bigEndian(at: 12, as: Int32.self))
        var values: [Self] = []
        values.reserveCapacity(count)
        var offset = 20
        for _ in 0..<count {
            guard offset + 4 <= bytes.count else { throw column.mismatch([Self].self) }
            let length = Int(bytes.bigEndian(at: offset, as: Int32.self))
            offset += 4
            guard offset + max(0, length) <= bytes.count else { throw column.mismatch([Self].self) }
            let element = length < 0 ? nil : UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
            values.append(try decode(PostgresColumn(index: column.index, oid: oid, bytes: element)))
            offset += max(0, length)
        }
        return values
    }
}

extension Int64: PostgresElement {}
extension Int: PostgresElement {}
extension Int32: PostgresElement {}
extension Int16: PostgresElement {}
extension Bool: PostgresElement {}
extension Double: PostgresElement {}
extension String: PostgresElement {}
extension Array: PostgresElement where Element == UInt8 {}
extension Optional: PostgresElement where Wrapped: PostgresValue & PostgresElement {}
