/// A file in the body of a call.
public struct UploadedFile: Sendable {
    /// The name of the form field.
    public let field: String
    /// The client's name of the file; never trust it as a path or for its type.
    public let name: String
    /// The content, which a file store can keep.
    public let upload: FileUpload

    /// The type that the first bytes show; nil if it is not an accepted type.
    public var type: FileType? { FileType(head: upload.head, name: name) }
}
