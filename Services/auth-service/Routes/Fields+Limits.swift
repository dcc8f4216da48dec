import Contract
import ServiceKit

extension Fields {
    /// A text that must be there, of at most so many bytes: for what is looked up and not kept.
    func text(_ name: String, upTo limit: Int) throws(Failure) -> String {
        let text = try text(name)
        guard text.utf8.count <= limit else { throw .invalid("\(name) is too long.") }
        return text
    }
}
