import Wire

/// How far the members of a room have read it.
enum Readers: Sendable {
    /// Each member, except those that do not share it.
    case members([(user: UserID, seq: Int64)])
    /// In a large room: how many members have read up to exactly this seq.
    case counts([(seq: Int64, count: Int64)])
}

/// Reads how far the members of rooms have read them.
struct ReadReceipts: Sendable {
    let members: RoomMembers
    let store: ReaderStore

    /// A room with more members shows counts.
    static let mostShown = 200

    /// The readers of a room, for one of its members.
    func readers(of target: MessageTarget, for user: UserID) async throws -> Readers {
        let ids = try await members.ids(of: target.room, in: target.workspace, member: user)
        guard ids.count > Self.mostShown else {
            return .members(try await store.list(ids, of: target.key, for: user))
        }
        return .counts(try await store.counts(ids, of: target.key, for: user, limit: Self.mostShown))
    }
}
