import Contract
import Wire

/// A session as its owner sees it.
struct SessionView: View {
    let session: Session
    let isCurrent: Bool

    func write(to json: inout JSONWriter, for profile: ClientProfile) {
        json.object { json in
            json.field("session_id", session.id, for: profile)
            json.field("app", session.profile)
            json.field("current", isCurrent)
            json.field("createdAt", session.createdAt)
            json.field("expiresAt", session.expiresAt)
        }
    }
}
