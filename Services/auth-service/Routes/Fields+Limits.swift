import Contract
import ServiceKit

extension Fields {
    /// Returns a required text of at most `limit` bytes, for values that are looked up and not stored.
    func text(_ name: String, upTo limit: Int) throws(Failure) -> String {
        let text = try text(name)
        guard text.utf8.count <= limit else { throw .invalid("\(name) is too long.") }
        return text
    }
}
