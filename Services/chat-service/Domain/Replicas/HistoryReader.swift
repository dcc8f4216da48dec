import Contract
import Wire

/// Reads history from the primary, and from a replica while the primary does not answer.
struct HistoryReader: Sendable {
    let primary: HistoryStores
    /// Nil if `database_url` names one host.
    let replicas: HistoryReplicas?

    /// The result of `body`, and the stores that it has read. Further pages of the same reply come from the same
    /// ones.
    ///
    /// - Parameters:
    ///   - seen: the part that the client has seen for certain; a replica that has less is not read.
    ///   - body: reads from the stores that it is given; it may be called a second time with others.
    func read<Value: Sendable>(
        _ room: RoomKey, seen: SeenPart, _ body: (HistoryStores) async throws -> Value
    ) async throws -> (value: Value, stores: HistoryStores) {
        guard let replicas else { return (try await body(primary), primary) }
        if replicas.primary.isDown, let found = await replicas.read(room, seen: seen, body) { return found }
        do {
            return (try await body(primary), primary)
        } catch  where error.isOutageOfStore {
            guard let found = await replicas.read(room, seen: seen, body) else { throw error }
            return found
        }
    }

    /// A room had this head when it was read.
    func note(_ room: RoomID, _ head: RoomHead) { replicas?.heads.note(room, seq: head.seq, rev: head.rev) }
}
