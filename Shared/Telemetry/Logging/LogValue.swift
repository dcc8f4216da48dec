public import Wire

/// What a field of the log may hold: numbers, times, ids, and names that the system itself has given.
///
/// There is no way to log bytes, and text that is not written in the source must be called a `name` by whoever logs it:
/// a place to stop and think whether it is one. What people write or are called never is.
public enum LogValue: Sendable {
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    case moment(Timestamp)
    /// Written in milliseconds, with three decimals.
    case duration(Duration)
    /// Text of the source code.
    case word(StaticString)
    /// A name that the system has given: a route's template, a server's address, a stream, a code. Cut after 256 bytes.
    case name(String)
    /// Why something failed; see `LoggableError`.
    case cause(any Error)
    /// Stands for a value that nobody may see.
    case redacted

    /// A count.
    public static func count(_ count: Int) -> LogValue { .integer(Int64(count)) }

    /// The id of a user, a message or the like.
    public static func id<Kind>(_ id: ID<Kind>) -> LogValue { .integer(id.rawValue) }
}

/// A literal text is a `word`; one with values in it is not taken.
extension LogValue: ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }

    public init(stringLiteral value: StaticString) { self = .word(value) }

    public init(booleanLiteral value: Bool) { self = .flag(value) }
}

extension LogValue: JSONWritable {
    public func write(to json: inout JSONWriter) {
        switch self {
        case .integer(let integer): json.value(integer)
        case .number(let number): json.value(number)
        case .flag(let flag): json.value(flag)
        case .moment(let moment): json.value(moment)
        case .duration(let duration): json.value(Double(duration.wholeMicroseconds) / 1000)
        case .word(let word): json.value(word.description)
        case .name(let name): json.value(name.cut(after: 256))
        case .cause(let error): json.value(error.logText.cut(after: 1024))
        case .redacted: json.value("•••")
        }
    }
}

extension Duration {
    fileprivate var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000
    }
}

extension String {
    /// The text itself, or as many whole characters of it as fit.
    fileprivate func cut(after limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
