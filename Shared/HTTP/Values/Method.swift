/// A request method that routes know; what else a client sends is `other`.
public enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    /// Any other token; no route has it.
    case other = "other"

    /// The method that a token names; methods are case-sensitive.
    init(token: UnsafeRawBufferPointer) {
        self =
            switch token.count {
            case 3 where token.elementsEqual("GET".utf8): .get
            case 3 where token.elementsEqual("PUT".utf8): .put
            case 4 where token.elementsEqual("POST".utf8): .post
            case 4 where token.elementsEqual("HEAD".utf8): .head
            case 5 where token.elementsEqual("PATCH".utf8): .patch
            case 6 where token.elementsEqual("DELETE".utf8): .delete
            case 7 where token.elementsEqual("OPTIONS".utf8): .options
            default: .other
            }
    }
}
