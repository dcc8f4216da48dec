import Contract
import Synchronization
import Wire

/// Read markers of histories that came from a replica, until the primary takes them. A restart forgets them: then the next history
/// call of their readers moves the markers.
final class DeferredMarkers: Sendable {
    struct Key: Hashable, Sendable {
        let user: UserID
        let room: RoomID
    }

    struct Marker: Sendable {
        let target: MessageTarget
        let seq: Int64
    }

    /// Further ones are dropped.
    private static let limit = 20_000

    private let waiting = Mutex<[Key: Marker]>([:])

    var isEmpty: Bool { waiting.withLock(\.isEmpty) }

    func add(_ user: UserID, in target: MessageTarget, to seq: Int64) {
        let key = Key(user: user, room: target.room)
        waiting.withLock { waiting in
            guard waiting[key] != nil || waiting.count < Self.limit else { return }
            waiting[key] = Marker(target: target, seq: max(seq, waiting[key]?.seq ?? 0))
        }
    }

    /// Passes all to `write`. Those after the first failure stay.
    func flush(_ write: (UserID, MessageTarget, Int64) async throws -> Void) async throws {
        for (key, marker) in waiting.withLock(\.self) {
            try await write(key.user, marker.target, marker.seq)
            waiting.withLock { waiting in
                if waiting[key]?.seq == marker.seq { waiting[key] = nil }
            }
        }
    }
}
