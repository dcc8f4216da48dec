import Contract
import Wire

/// The values of the mail about a workspace that requires a second factor, kept in the detail of the waiting mail as JSON.
struct MailDemand: Sendable, Equatable {
    /// The name of the workspace.
    let workspace: String
    /// When its members need a second factor.
    let due: Timestamp

    init(workspace: String, due: Timestamp) {
        self.workspace = workspace
        self.due = due
    }

    /// Reads a detail; nil for that of another mail.
    init?(detail: String) {
        guard let json = try? JSONValue(parsing: detail), let workspace = json.string("workspace"),
            let due = json["due"]?.int
        else { return nil }
        self.init(workspace: workspace, due: Timestamp(milliseconds: Int64(due)))
    }

    var detail: String {
        let bytes = JSONWriter.bytes { json in
            json.object { json in
                json.field("workspace", workspace)
                json.field("due", due.milliseconds)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
