/// Why a multipart body is refused.
public enum MultipartError: Error, Hashable, Sendable {
    /// The body does not begin with its boundary, or a boundary is not followed by the end of the line.
    case malformedBoundary
    /// A part's headers are not well-formed, or the part has no name.
    case malformedHeader
    /// The body ends before its last boundary.
    case incomplete
    case tooManyParts
    case headerTooLarge
    case fieldTooLarge
    case fileTooLarge
}
