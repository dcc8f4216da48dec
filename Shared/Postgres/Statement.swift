/// One SQL statement of a store, prepared on each connection the first time that connection runs it.
///
/// Make it a constant, one a statement: the literal's address is its identity.
///
///     static let findByEmail = Statement("find user by email", "select id, name from auth.users where email = $1")
public struct Statement: Sendable {
    /// What metrics and errors call it; part of the prepared statement's name on the server.
    public let name: String
    let source: Source

    enum Source: Sendable {
        case prepared(StaticString)
        case unprepared(String)
    }

    /// A constant statement; `$1`, `$2`, … stand for its parameters.
    public init(_ name: StaticString, _ sql: StaticString) {
        self.name = "\(name)"
        source = .prepared(sql)
    }

    /// A statement whose text is put together while the program runs. It is parsed anew each time; never put values
    /// of users into the text.
    public init(_ name: StaticString, unprepared sql: String) {
        self.name = "\(name)"
        source = .unprepared(sql)
    }
}
