/// The framing of a reply's body while it is being streamed.
struct ReplyStream {
    let isChunked: Bool
    /// Promised bytes that are not written yet; nil if no length was promised.
    private(set) var left: Int?

    /// Counts a piece of `count` bytes.
    mutating func wrote(_ count: Int) throws(BodyError) {
        guard let left else { return }
        guard count <= left else { throw .tooLarge }
        self.left = left - count
    }
}
