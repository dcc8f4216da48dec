import Contract
import Wire

/// The state of an account's latest export.
enum ExportState: Sendable, Equatable {
    /// None was requested, or the latest has expired.
    case none
    case pending
    case failed
    case ready(ExportDownload)

    var name: String {
        switch self {
        case .none: "none"
        case .pending: "pending"
        case .failed: "failed"
        case .ready: "ready"
        }
    }
}

/// An export that can be loaded.
struct ExportDownload: Sendable, Equatable {
    let account: UserID
    /// The name in the file store, such as `exports/….zip`.
    let file: String
    let expiresAt: Timestamp
    /// The version of the account's password and address. A link is signed for one version, so a change ends it.
    let credentials: Int64
}
