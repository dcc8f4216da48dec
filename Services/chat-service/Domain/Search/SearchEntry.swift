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

        var properties: [SearchGrams.Property] {
            [Self.file, .image, .link, .reaction].filter(contains).map { .trait(Int64($0.rawValue)) }
        }
    }

    let seq: Int64
    let createdAt: Timestamp
    /// The grams of the text, the author, the room and the traits, in ascending order, each once.
    let grams: [Int32]

    /// The form of the entries. A change of the normalisation, the hashes or the traits raises it, and every room is indexed anew.
    static let form: Int16 = 5

    init(_ message: SearchableMessage, of room: RoomID, in workspace: WorkspaceID) {
        seq = message.seq
        createdAt = message.createdAt
        let grams = SearchGrams(workspace: workspace.rawValue)
        let properties = message.traits.properties + [.author(message.author.rawValue), room.property]
        self.grams = Set(message.texts.flatMap { grams.all(of: $0) } + properties.map(grams.gram)).sorted()
    }
}

extension RoomID {
    /// The room as the search index knows it.
    var property: SearchGrams.Property { kind == .dm ? .dm(rawValue) : .channel(rawValue) }
}
