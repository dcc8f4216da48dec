import Wire

/// The messages of a batch in the order in which they are numbered: by room, and within a room in order of arrival.
struct BatchOrder {
    let messages: [PendingMessage]
    /// The index of each message in the array that was passed in.
    let indices: [Int]
    /// For each message, the number of messages of the same room that follow it.
    private(set) var followers: [Int64] = []
    /// Ascending.
    private(set) var rooms: [RoomID] = []
    /// The number of messages in each room.
    private(set) var counts: [Int64] = []

    /// - Parameter isIncluded: selects messages by their index in `all`.
    init(_ all: [PendingMessage], where isIncluded: (Int) -> Bool = { _ in true }) {
        let indices = all.indices.filter(isIncluded)
            .sorted { (all[$0].room, $0) < (all[$1].room, $1) }
        self.indices = indices
        messages = indices.map { all[$0] }
        followers.reserveCapacity(messages.count)
        for message in messages.reversed() {
            if rooms.last == message.room {
                counts[counts.count - 1] += 1
            } else {
                rooms.append(message.room)
                counts.append(1)
            }
            followers.append(counts[counts.count - 1] - 1)
        }
        followers.reverse()
        rooms.reverse()
        counts.reverse()
    }

    /// The first message of each room.
    var firsts: [PendingMessage] {
        var index = 0
        return counts.map { count in
            defer { index += Int(count) }
            return messages[index]
        }
    }
}
