internal import CPostgres

/// The encoded parameters of one execution.
public struct PostgresParameters: Sendable {
    /// All parameters in one allocation: the type, the length (-1 for NULL), the bytes, and a NUL after text.
    private var bytes: [UInt8] = []
    private var count = 0
    /// A hash of the types: one statement may be prepared for several lists of types.
    private(set) var signature: UInt64 = 0

    /// The protocol counts parameters in 16 bits.
    public static let limit = 65_535

    /// No parameters.
    public init() {}

    /// Encodes the values in order.
    init<each Value: PostgresValue>(_ values: repeat each Value) throws(PostgresError) {
        for value in repeat each values { try append(value) }
    }

    /// A single number.
    init(_ value: Int64) {
        let header = beginParameter(.int8)
        value.encode(into: &bytes)
        endParameter(header, .int8)
    }

    /// Adds the next parameter.
    ///
    /// - Throws: `PostgresError` if the value cannot be a parameter, such as text with a NUL.
    public mutating func append<Value: PostgresValue>(_ value: Value) throws(PostgresError) {
        guard count < Self.limit else { throw PostgresError(.invalidParameter, message: "too many parameters") }
        let type = Value.postgresType
        let header = beginParameter(type)
        if value.isNull { return }
        try value.encode(into: &bytes)
        endParameter(header, type)
    }

    private mutating func beginParameter(_ type: PostgresType) -> Int {
        if bytes.isEmpty { bytes.reserveCapacity(64) }
        signature = signature &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(type.oid) &+ 1
        count += 1
        let header = bytes.count
        withUnsafeBytes(of: (type.oid, -1 as Int32)) { bytes.append(contentsOf: $0) }
        return header
    }

    private mutating func endParameter(_ header: Int, _ type: PostgresType) {
        let length = Int32(bytes.count - header - 8)
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: header + 4, as: Int32.self) }
        if type.isText { bytes.append(0) }
    }

    /// Calls `body` with the parallel arrays that libpq expects: count, types, values, lengths, formats.
    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let count = count
        if count == 0 { return body(0, nil, nil, nil, nil) }
        return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * count) { numbers in
                bytes.withUnsafeBytes { bytes in
                    var offset = 0
                    for index in 0..<count {
                        let type = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
                        let length = bytes.loadUnaligned(fromByteOffset: offset + 4, as: Int32.self)
                        let start = bytes.baseAddress! + offset + 8
                        values[index] = length < 0 ? nil : start.assumingMemoryBound(to: CChar.self)
                        numbers[index] = type
                        numbers[count + index] = max(0, length)
                        // For a type that the server infers, only the text format is known.
                        let isText = type == 0
                        numbers[2 * count + index] = isText ? 0 : 1
                        offset += 8 + max(0, Int(length)) + (isText && length >= 0 ? 1 : 0)
                    }
                    let first = numbers.baseAddress!
                    return first.withMemoryRebound(to: Oid.self, capacity: count) { types in
                        body(Int32(count), types, values.baseAddress, first + count, first + 2 * count)
                    }
                }
            }
        }
    }
}
