public import Wire

extension ID: PostgresValue, PostgresElement {
    public static var postgresType: PostgresType { .int8 }

    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: rawValue) }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> ID {
        ID(try Int64.decode(column))
    }
}

/// A `timestamptz` as a parameter; read from a `timestamptz`, rounded down, or from a `bigint` of milliseconds.
extension Timestamp: PostgresValue, PostgresElement {
    public static var postgresType: PostgresType { .timestamptz }

    /// The server counts from the beginning of 2000.
    private static let serverEpoch: Int64 = 946_684_800_000

    public func encode(into bytes: inout [UInt8]) throws(PostgresError) {
        let (micros, overflow) = (milliseconds &- Self.serverEpoch).multipliedReportingOverflow(by: 1000)
        guard !overflow else { throw PostgresError(.invalidParameter, message: "a time out of range") }
        bytes.append(bigEndian: micros)
    }

    public static func decode(_ column: PostgresColumn) throws(PostgresError) -> Timestamp {
        guard column.oid == PostgresType.timestamptz.oid, let bytes = column.bytes else {
            return Timestamp(milliseconds: try column.integer(as: Int64.self))
        }
        let micros = bytes.bigEndian(at: 0, as: Int64.self)
        return Timestamp(milliseconds: micros / 1000 - (micros % 1000 < 0 ? 1 : 0) + serverEpoch)
    }
}
