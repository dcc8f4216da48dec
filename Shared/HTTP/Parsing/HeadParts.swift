/// The parsed start line and fields of a request's head, as ranges of its bytes.
struct HeadParts {
    /// How the end of the body is found.
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    var method = Method.other
    var methodToken = HeadRange.none
    /// The path as it was sent.
    var path = HeadRange.none
    /// The part after the first `?`; nil if the target has no `?`.
    var query: HeadRange?
    /// The value of Host, or of an absolute target.
    var host = HeadRange.none
    /// 0 or 1.
    var minorVersion: UInt8 = 1
    var framing = Framing.none
    var keepsAlive = true
    var expectsContinue = false
}
