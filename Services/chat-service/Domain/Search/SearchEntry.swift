import Search
import Wire

/// A message as the search index holds it.
struct SearchEntry: Sendable {
    /// Properties of a message beside its text; `has:` asks for them.
    struct Traits: OptionSet, Sendable, Hashable {
        let rawValue: Int16

        static let file = Traits(rawValue: 1)
        static let image = Traits(rawValue: 2)
        static let link = Traits(rawValue: 4)
        static let reaction = Traits(rawValue: 8)
    }

    let seq: Int64
    let createdAt: Timestamp
    let author: UserID
    let traits: Traits
    /// In ascending order, each once.
    let grams: [Int32]

    /// The form of the grams. A change of the normalisation or of the hashes raises it, and every room is indexed anew.
    static let form: Int16 = 2

    init(_ message: SearchableMessage, in workspace: WorkspaceID) {
        seq = message.seq
        createdAt = message.createdAt
        author = message.author
        traits = message.traits
        let grams = SearchGrams(workspace: workspace.rawValue)
        self.grams = Set(message.texts.flatMap { grams.all(of: $0) }).sorted()
    }
}
