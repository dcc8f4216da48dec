import Contract
import ServiceKit
import Wire

/// Tells gateways that a user has a new DM, so that the user's sockets hear it.
struct AccessHintPublisher: Sendable {
    let hints: RepeatedHints

    func publish(_ workspace: WorkspaceID, _ user: UserID) {
        hints.publish(AccessHint(workspace: workspace, user: user))
    }
}
