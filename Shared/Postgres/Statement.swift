/// One SQL statement of a store, prepared on each connection the first time that connection runs it.
///
/// Make it a constant, one a statement:
///
///     static let findByEmail = Statement("find user by email", "select id, name from auth.users where email = $1")
///
/// A plain `select` may share a sync with others that set out in the same turn of the loop, which halves what both
/// sides spend on it. Where one of those fails, the rest run again by themselves, so that nobody notices.
public final class Statement: Sendable {
    /// What metrics and errors call it; part of the prepared statement's name on the server.
    public let name: String
    let source: Source
    /// Whether it reads and does nothing else, so that running it again is harmless.
    let isRead: Bool

    enum Source: Sendable {
        /// The literal's address tells statements apart.
        case prepared(StaticString)
        case unprepared(String)
    }

    /// A constant statement; `$1`, `$2`, … stand for its parameters.
    public init(_ name: StaticString, _ sql: StaticString) {
        self.name = "\(name)"
        source = .prepared(sql)
        isRead = SQLWords("\(sql)").onlyRead
    }

    /// A statement whose text is put together while the program runs. It is parsed anew each time; never put values
    /// of users into the text.
    public init(_ name: StaticString, unprepared sql: String) {
        self.name = "\(name)"
        source = .unprepared(sql)
        isRead = false
    }

    var text: String {
        switch source {
        case .prepared(let sql): "\(sql)"
        case .unprepared(let sql): sql
        }
    }
}
