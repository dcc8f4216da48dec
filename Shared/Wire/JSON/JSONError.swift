/// Why a text is not JSON, and where.
public struct JSONError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The text ends within a value, or is empty.
        case incomplete
        /// The grammar does not allow the byte here.
        case unexpectedByte
        /// Bytes follow the value.
        case trailingBytes
        /// A string holds a control character that is not escaped.
        case controlCharacter
        /// RFC 8259 does not define the escape.
        case invalidEscape
        /// A surrogate escape has no partner.
        case loneSurrogate
        /// A string is not UTF-8.
        case invalidUTF8
        /// Arrays and objects nest deeper than allowed.
        case tooDeep
        /// The text is longer than the 2 GiB that a document can index.
        case tooLong
    }

    public let reason: Reason
    /// The offset of the byte at which the parser detected the error.
    public let offset: Int
}
