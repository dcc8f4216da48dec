import Contract
import Search
import Wire

/// The conditions of a search that the index can decide.
struct SearchConditions: Sendable {
    let workspace: WorkspaceID
    /// A message must have all of these grams.
    private(set) var all: Set<Int32> = []
    /// Grams that a message has together.
    typealias Alternative = [Int32]
    /// A message must have one alternative of each of these lists.
    private(set) var any: [[Alternative]] = []
    let rooms: [RoomID]
    let before: Timestamp?
    let after: Timestamp?

    /// So few rooms or authors are conditions of the index; more would make it slower than a check of each candidate.
    private static let fewValues = 8

    /// The conditions of a request in some rooms.
    init(_ request: SearchRequest, rooms: [RoomID]) {
        (workspace, self.rooms) = (request.workspace, rooms)
        (before, after) = (request.filters.before, request.filters.after)
        let grams = SearchGrams(workspace: request.workspace.rawValue)
        for term in request.query.requiredTerms { require(term.alternatives.map(grams.required)) }
        for trait in request.filters.traits.properties { all.insert(grams.gram(of: trait)) }
        require(oneOf: rooms.map(\.property), grams)
        if let authors = request.filters.authors { require(oneOf: authors.map { .author($0.rawValue) }, grams) }
    }

    /// Whether the index can find messages by a gram.
    var hasGrams: Bool { !all.isEmpty || !any.isEmpty }

    /// Requires all grams of one of these lists.
    private mutating func require(_ choices: [[Int32]]) {
        if choices.count == 1 {
            all.formUnion(choices[0])
        } else if choices.allSatisfy({ !$0.isEmpty }) {
            // Grams that all alternatives share are required; beyond that, each alternative stands by its own. One of them
            // alone may be frequent, such as a pair of initial consonants beside a syllable that no message has.
            let common = choices.dropFirst().reduce(Set(choices[0])) { $0.intersection($1) }
            all.formUnion(common)
            let own = choices.map { $0.filter { !common.contains($0) } }
            if own.allSatisfy({ !$0.isEmpty }) { any.append(own) }
        }
    }

    private mutating func require(oneOf properties: [SearchGrams.Property], _ grams: SearchGrams) {
        if properties.count == 1 {
            all.insert(grams.gram(of: properties[0]))
        } else if properties.count <= Self.fewValues {
            any.append(properties.map { [grams.gram(of: $0)] })
        }
    }
}
