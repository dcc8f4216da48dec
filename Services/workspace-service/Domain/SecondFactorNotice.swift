import Contract
import Wire

/// The notice of a member that their workspace requires a second factor.
struct SecondFactorNotice: Sendable, Equatable {
    let workspace: WorkspaceID
    /// The name of the workspace.
    let name: String
    let user: UserID
    /// When the member needs a second factor.
    let due: Timestamp
    let madeAt: Timestamp

    /// The order for auth-service. The key is the same each time, so that an order that is repeated makes no second mail.
    var request: NoticeRequest {
        var detail = name
        while detail.utf8.count > NoticeRequest.mostDetail { detail.removeLast() }
        return NoticeRequest(
            user: user, kind: .secondFactorRequired, detail: detail, due: due,
            key: "second-factor-\(workspace)-\(user)-\(madeAt.milliseconds)")
    }
}
