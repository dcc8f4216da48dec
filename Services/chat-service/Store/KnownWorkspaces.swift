import Contract
import Synchronization
import Wire

/// Remembers the workspaces of rooms or DMs, for callers that do not name them. None of them moves to another workspace.
final class KnownWorkspaces<Key: Hashable & Sendable>: Sendable {
    private let known = Mutex<[Key: WorkspaceID]>([:])

    /// Beyond this number all are forgotten.
    private static var limit: Int { 100_000 }

    /// The workspaces of those keys that have one.
    ///
    /// - Parameter look: looks for the workspaces that are not known.
    func find(
        _ keys: Set<Key>, _ look: (Set<Key>) async throws -> [Key: WorkspaceID]
    ) async throws -> [Key: WorkspaceID] {
        let found = known.withLock { known in
            Dictionary(keys.compactMap { key in known[key].map { (key, $0) } }) { first, _ in first }
        }
        let missing = keys.filter { found[$0] == nil }
        if missing.isEmpty { return found }
        let new = try await look(missing)
        known.withLock { known in
            if known.count > Self.limit { known.removeAll() }
            known.merge(new) { _, new in new }
        }
        return found.merging(new) { _, new in new }
    }
}
