import Search
import Wire

extension SearchStore.Conditions {
    /// The conditions of a request that the index can decide, in some rooms.
    init(_ request: SearchRequest, rooms: [RoomID]) {
        let grams = SearchGrams(workspace: request.workspace.rawValue)
        var (all, any): (Set<Int32>, [[Int32]]) = ([], [])
        for term in request.query.terms where !term.isExcluded {
            let choices = term.alternatives.map(grams.required)
            if choices.count == 1 {
                all.formUnion(choices[0])
            } else if choices.allSatisfy({ !$0.isEmpty }) {
                // Grams that all alternatives share are required; beyond that, each alternative stands by one of its own.
                let common = choices.dropFirst().reduce(Set(choices[0])) { $0.intersection($1) }
                all.formUnion(common)
                let own = choices.map { $0.first { !common.contains($0) } }
                if own.allSatisfy({ $0 != nil }) { any.append(own.compactMap(\.self)) }
            }
        }
        self.init(all: all.sorted(), any: any, rooms: rooms, filters: request.filters)
    }
}
