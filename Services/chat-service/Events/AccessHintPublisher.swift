import Contract
import Redis
import ServiceKit
import Wire

/// Tells gateways that a user has a new DM, so that the user's sockets hear it.
struct AccessHintPublisher: Sendable {
    let redis: Redis

    func publish(_ workspace: WorkspaceID, _ user: UserID) {
        redis.publish(AccessHint(workspace: workspace, user: user))
    }
}
