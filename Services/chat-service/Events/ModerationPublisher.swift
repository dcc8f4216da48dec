import Contract
import ServiceKit
import Wire

/// Tells all instances that the rules of a workspace have changed. This instance knows it at once.
struct ModerationPublisher: Sendable {
    let hints: RepeatedHints
    let cache: ModerationCache

    func changed(_ workspace: WorkspaceID) {
        cache.invalidate(workspace)
        hints.publish(ModerationHint(workspace: workspace))
    }
}
