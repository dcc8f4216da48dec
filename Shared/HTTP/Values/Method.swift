/// A request method that routes can have; every other method is `other`.
public enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    /// Any other token; no route can have it.
    case other = "other"

    /// Looks up the method that a token names; methods are case-sensitive.
    init(token: UnsafeRawBufferPointer) {
        self =
            switch token.count {
            case 3 where Self.is(token, "GET"): .get
            case 3 where Self.is(token, "PUT"): .put
            case 4 where Self.is(token, "POST"): .post
            case 4 where Self.is(token, "HEAD"): .head
            case 5 where Self.is(token, "PATCH"): .patch
            case 6 where Self.is(token, "DELETE"): .delete
            case 7 where Self.is(token, "OPTIONS"): .options
            default: .other
            }
    }

    /// Whether `token` equals `name`, which has the same length.
    @inline(__always)
    private static func `is`(_ token: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
        for index in 0..<token.count where token[index] != name.utf8Start[index] { return false }
        return true
    }
}
