/// One SQL statement of a store, prepared on each connection the first time that connection runs it.
///
/// Declare each statement as a constant that is a read or a write:
///
///     static let findByEmail = Statement.read("find user by email", "select id, name from users where email = $1")
///     static let rename = Statement.write("rename user", "update users set name = $2 where id = $1")
///
/// A read changes nothing and locks no row. Outside a transaction, a read may share a sync with the other reads of the
/// same turn of the loop, which halves the cost for both sides. If one of them fails, the others run again alone, so
/// their callers do not notice. A write never shares a sync. When in doubt, declare a write.
public final class Statement: Sendable {
    /// The name in metrics and errors, and part of the prepared statement's name on the server.
    public let name: String
    let source: Source
    /// Whether the statement may run in one sync with other reads.
    let mayShareSync: Bool

    enum Source: Sendable {
        /// The literal's address identifies the statement.
        case prepared(StaticString)
        case unprepared(String)
    }

    private init(_ name: StaticString, _ source: Source, mayShareSync: Bool) {
        self.name = "\(name)"
        self.source = source
        self.mayShareSync = mayShareSync
    }

    /// A constant statement that only reads; `$1`, `$2`, … stand for its parameters.
    public static func read(_ name: StaticString, _ sql: StaticString) -> Statement {
        Statement(name, .prepared(sql), mayShareSync: true)
    }

    /// A constant statement that changes data, locks rows or affects its session or transaction.
    public static func write(_ name: StaticString, _ sql: StaticString) -> Statement {
        Statement(name, .prepared(sql), mayShareSync: false)
    }

    /// A read with text that is built at run time. The server parses it on every call, and it never shares a sync. Never put
    /// a user's values into the text.
    public static func read(_ name: StaticString, unprepared sql: String) -> Statement {
        Statement(name, .unprepared(sql), mayShareSync: false)
    }

    /// A write with text that is built at run time. The server parses it on every call. Never put a user's values into the
    /// text.
    public static func write(_ name: StaticString, unprepared sql: String) -> Statement {
        Statement(name, .unprepared(sql), mayShareSync: false)
    }

    var text: String {
        switch source {
        case .prepared(let sql): "\(sql)"
        case .unprepared(let sql): sql
        }
    }
}
