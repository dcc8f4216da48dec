/// The headers of a form's part. The client chooses them: the type proves nothing, and a file name says only that the
/// part is a file.
public struct MultipartPart: Hashable, Sendable {
    /// The name of the form field.
    public let name: String
    /// nil if there is none, which makes the part a field; empty if a browser sends a file input without a file.
    public let fileName: String?
    /// The type in lower case, without parameters.
    public let contentType: String?
}
