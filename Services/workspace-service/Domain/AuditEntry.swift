import Contract
import Wire

/// An entry of a workspace's audit log.
struct AuditEntry: Sendable {
    let id: Int64
    let at: Timestamp
    /// The raw value of an `AuditAction`, perhaps of a newer release.
    let action: String
    let actor: UserID?
    let user: UserID?
    let subject: String
    /// A JSON object.
    let detail: [UInt8]
    let address: String?
    let app: String?
    let session: SessionID?
}

/// The entries that a reader of the audit log asks for; nil means all.
struct AuditFilter: Sendable, Equatable {
    var actor: UserID?
    var user: UserID?
    /// An action, or its first part: `member` stands for `member.added` and others.
    var action: String?
    var from: Timestamp?
    var until: Timestamp?
}
