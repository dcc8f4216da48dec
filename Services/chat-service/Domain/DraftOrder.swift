import Wire

/// Drafts in the order in which they are numbered: by room, and in each room as they came.
struct DraftOrder {
    let drafts: [Draft]
    /// Where each of them stands among those that were given.
    let places: [Int]
    /// How many of the same room follow each.
    private(set) var behind: [Int64] = []
    /// Rising.
    private(set) var rooms: [RoomID] = []
    /// How many drafts each room has.
    private(set) var counts: [Int64] = []

    /// - Parameter isIncluded: which are in it, by their places.
    init(_ given: [Draft], where isIncluded: (Int) -> Bool = { _ in true }) {
        let places = given.indices.filter(isIncluded)
            .sorted { (given[$0].room, $0) < (given[$1].room, $1) }
        self.places = places
        drafts = places.map { given[$0] }
        behind.reserveCapacity(drafts.count)
        for draft in drafts.reversed() {
            if rooms.last == draft.room {
                counts[counts.count - 1] += 1
            } else {
                rooms.append(draft.room)
                counts.append(1)
            }
            behind.append(counts[counts.count - 1] - 1)
        }
        behind.reverse()
        rooms.reverse()
        counts.reverse()
    }

    /// The first draft of each room.
    var firsts: [Draft] {
        var index = 0
        return counts.map { count in
            defer { index += Int(count) }
            return drafts[index]
        }
    }
}
