import Contract
import ServiceKit

/// The dependencies that the `/me` sockets of a node share.
struct MeContext: Sendable {
    let limits: MeCallLimiter.Limits
    let online: OnlineStore
    let presenceTimes: OnlineStore.Times
    let visibility: PresenceVisibility
    let starts: StartCache
    let startReads: StartReads
    let workspaces: WorkspaceClient
    let auth: AuthClient
}
