internal import CPostgres

/// The parameters of one execution, in their form on the wire.
public struct PostgresParameters: Sendable {
    private struct Slot {
        var type: PostgresType
        var offset: Int
        /// -1 for NULL.
        var length: Int32
    }

    private var bytes: [UInt8] = []
    private var slots: [Slot] = []
    /// Tells lists of types apart: one statement may be prepared for several.
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
        signature = Self.signature(after: 0, .int8)
        value.encode(into: &bytes)
        slots = [Slot(type: .int8, offset: 0, length: 8)]
    }

    /// Adds the next parameter.
    ///
    /// - Throws: `PostgresError` where the value cannot be one, such as text with a NUL.
    public mutating func append<Value: PostgresValue>(_ value: Value) throws(PostgresError) {
        guard slots.count < Self.limit else { throw PostgresError(.invalidParameter, message: "too many parameters") }
        let type = Value.postgresType
        let offset = bytes.count
        signature = Self.signature(after: signature, type)
        if value.isNull { return slots.append(Slot(type: type, offset: offset, length: -1)) }
        try value.encode(into: &bytes)
        slots.append(Slot(type: type, offset: offset, length: Int32(bytes.count - offset)))
        if type.isText { bytes.append(0) }
    }

    private static func signature(after previous: UInt64, _ type: PostgresType) -> UInt64 {
        previous &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(type.oid) &+ 1
    }

    /// Lends the parallel arrays that libpq asks for: count, types, values, lengths, formats.
    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let count = slots.count
        if count == 0 { return body(0, nil, nil, nil, nil) }
        return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * count) { numbers in
                // An empty array has no address, but an empty string needs one: nil would be NULL.
                bytes.withUnsafeBytes { bytes in
                    let base = bytes.baseAddress ?? UnsafeRawPointer(values.baseAddress!)
                    for (index, slot) in slots.enumerated() {
                        let start = (base + slot.offset).assumingMemoryBound(to: CChar.self)
                        values[index] = slot.length < 0 ? nil : start
                        numbers[index] = Int32(bitPattern: slot.type.oid)
                        numbers[count + index] = max(0, slot.length)
                        numbers[2 * count + index] = slot.type.isText ? 0 : 1
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
