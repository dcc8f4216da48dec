/// What a part of a form says of itself. All of it is the client's word: the type tells nothing,
/// and the file name no more than that it is a file.
public struct MultipartPart: Hashable, Sendable {
    /// The name of the form's field.
    public let name: String
    /// `nil` where there is none, which makes the part a field; empty where a browser sends no file.
    public let fileName: String?
    /// In lower case, without parameters.
    public let contentType: String?
}
