/// What a multipart body turned out to hold. For each part there is one beginning, any number of pieces, and one end.
public enum MultipartEvent: Hashable, Sendable {
    case begin(MultipartPart)
    /// The next bytes of the part, never empty.
    case data(ArraySlice<UInt8>)
    case end
}
