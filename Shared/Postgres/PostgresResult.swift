internal import CPostgres

/// The server's result of one statement.
///
/// - Note: `@unchecked Sendable` because a PGresult never changes, and any thread may read it; it is freed with the last
///   reference.
final class PostgresResult: @unchecked Sendable {
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { PQclear(raw) }

    var status: ExecStatusType { PQresultStatus(raw) }

    var rowCount: Int32 { PQntuples(raw) }

    /// The command tag, such as `COMMIT`.
    var tag: String { String(cString: PQcmdStatus(raw)) }

    var affected: Int { Int(String(cString: PQcmdTuples(raw))) ?? 0 }

    func field(_ code: Character) -> String? {
        PQresultErrorField(raw, Int32(code.asciiValue!)).map { String(cString: $0) }
    }
}
