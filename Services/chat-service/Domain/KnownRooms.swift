import Wire

/// Rooms with a row in the table `room`. A batch of messages for such rooms alone need not insert rows.
///
/// A room that was forgotten is inserted again, which changes nothing.
struct KnownRooms {
    private var rooms: Set<RoomID> = []
    private let limit: Int

    /// - Parameter limit: beyond this number all rooms are forgotten.
    init(limit: Int) { self.limit = limit }

    func contains(_ room: RoomID) -> Bool { rooms.contains(room) }

    mutating func insert(_ new: some Sequence<RoomID>) {
        rooms.formUnion(new)
        if rooms.count > limit { rooms.removeAll() }
    }
}
