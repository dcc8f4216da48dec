/// How the body of the reply that is being streamed is framed, and what may still come.
struct StreamedReply {
    var isChunked = false
    /// Bytes that were promised and are not written yet; nil where nothing was promised.
    var left: Int?
}
