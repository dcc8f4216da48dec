/// Why some bytes are not JSON, and where.
public struct JSONError: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The text ends within a value, or there is none.
        case incomplete
        /// A byte stands where the grammar wants another.
        case unexpectedByte
        /// Something follows the value.
        case trailingBytes
        /// A string holds a control character that is not escaped.
        case controlCharacter
        /// A backslash is followed by nothing that RFC 8259 knows.
        case invalidEscape
        /// An escaped surrogate has no partner.
        case loneSurrogate
        /// A string is not UTF-8.
        case invalidUTF8
        /// Arrays and objects nest deeper than allowed.
        case tooDeep
        /// The text is longer than the 2 GiB that a document can index.
        case tooLong
    }

    public let reason: Reason
    /// The byte at which it was noticed.
    public let offset: Int
}
