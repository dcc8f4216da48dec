import ServiceKit
import Synchronization
import Wire

/// Tells the intake of outgoing webhooks which workspaces have news. A commit costs one look into a set.
final class WebhookWatch: Sendable {
    private struct State {
        /// The workspaces with subscriptions.
        var watched: Set<WorkspaceID> = []
        var changed: Set<WorkspaceID> = []
    }

    private let state = Mutex(State())
    let signal = WakeSignal()

    /// Something has been committed in these workspaces.
    func changed(_ workspaces: some Sequence<WorkspaceID>) {
        let isNews = state.withLock { state in
            if state.watched.isEmpty { return false }
            let before = state.changed.count
            for workspace in workspaces where state.watched.contains(workspace) { state.changed.insert(workspace) }
            return state.changed.count > before
        }
        if isNews { signal.wake() }
    }

    func watch(_ workspaces: Set<WorkspaceID>) { state.withLock { $0.watched = workspaces } }

    /// A workspace has a new subscription.
    func watch(_ workspace: WorkspaceID) { state.withLock { _ = $0.watched.insert(workspace) } }

    /// The workspaces with news since the last call.
    func take() -> Set<WorkspaceID> {
        state.withLock { state in
            defer { state.changed = [] }
            return state.changed
        }
    }
}
