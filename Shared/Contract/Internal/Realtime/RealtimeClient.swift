public import Wire

/// The internal API of realtime-gateway. Any instance answers for all.
public struct RealtimeClient: Sendable {
    private let client: InternalClient

    /// Calls for one room that are under way at once.
    private static let concurrency = 8

    public init(_ client: InternalClient) { self.client = client }

    /// The members of a room among these that are present now. A room of more than 1,000 members becomes several calls.
    public func present(among users: [UserID], in room: RoomID) async throws -> [UserID] {
        var pages = stride(from: 0, to: users.count, by: InternalRequestReader.bulkLimit).map { start in
            PresentMembersRequest(
                room: room, users: Array(users[start...].prefix(InternalRequestReader.bulkLimit)))
        }[...]
        if pages.count == 1, let page = pages.first { return try await client.send(page).users }
        return try await withThrowingTaskGroup(of: [UserID].self) { group in
            for page in pages.prefix(Self.concurrency) { group.addTask { try await client.send(page).users } }
            pages = pages.dropFirst(Self.concurrency)
            var found: [UserID] = []
            while let some = try await group.next() {
                found += some
                if let page = pages.popFirst() { group.addTask { try await client.send(page).users } }
            }
            return found
        }
    }
}
