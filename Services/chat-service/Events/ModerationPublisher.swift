import Contract
import Redis
import ServiceKit
import Wire

/// Tells all instances that the rules of a workspace have changed. This instance knows it at once.
struct ModerationPublisher: Sendable {
    let redis: Redis
    let cache: ModerationCache

    func changed(_ workspace: WorkspaceID) {
        cache.invalidate(workspace)
        redis.publish(ModerationHint(workspace: workspace))
    }
}
