public import Wire

/// The value of a log field: numbers, times, ids, and names that the system itself has given.
///
/// Bytes cannot be logged, and a text from outside the source must be wrapped as a `name`, so that the author of the
/// line checks that it is one. Text written by users, and their names, never is.
public enum LogValue: Sendable {
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    case moment(Timestamp)
    /// Written in milliseconds, with three decimals.
    case duration(Duration)
    /// Text of the source code.
    case word(StaticString)
    /// A name that the system has given: a route's template, a server's address, a stream, a code. Truncated after 256
    /// bytes.
    case name(String)
    /// The cause of a failure; see `LoggableError`.
    case cause(any Error)
    /// Replaces a value that must not be logged.
    case redacted

    /// A count.
    public static func count(_ count: Int) -> LogValue { .integer(Int64(count)) }

    /// The id of a user, a message or the like.
    public static func id<Kind>(_ id: ID<Kind>) -> LogValue { .integer(id.rawValue) }
}

/// A literal text becomes a `word`; an interpolated text does not compile.
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
    /// The text, truncated to as many whole characters as fit.
    fileprivate func cut(after limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
