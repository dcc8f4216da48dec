/// An event of a multipart body. Each part gives one `begin`, any number of `data`, and one `end`.
public enum MultipartEvent: Hashable, Sendable {
    case begin(MultipartPart)
    /// The next bytes of the part, never empty.
    case data(ArraySlice<UInt8>)
    case end
}
