import Contract
import Wire

typealias ReportID = ID<Report>

/// A report of a message, a user or a workspace, with a copy of the reported messages.
struct Report: Sendable {
    /// The raw value is stored.
    enum Kind: Int16, Sendable {
        case message = 1
        case user, workspace

        init?(_ text: String) {
            switch text {
            case "message": self = .message
            case "user": self = .user
            case "workspace": self = .workspace
            default: return nil
            }
        }

        var text: String {
            switch self {
            case .message: "message"
            case .user: "user"
            case .workspace: "workspace"
            }
        }
    }

    enum Reason: String, Sendable, CaseIterable {
        case spam, harassment, hate, violence, sexual, selfHarm, illegal, impersonation, other
    }

    /// How a report was answered. The raw value is stored.
    enum Action: Int16, Sendable, CaseIterable {
        case dismiss = 1
        case delete, warn, remove

        init?(_ text: String) {
            guard let action = Self.allCases.first(where: { $0.text == text }) else { return nil }
            self = action
        }

        var text: String {
            switch self {
            case .dismiss: "dismiss"
            case .delete: "delete"
            case .warn: "warn"
            case .remove: "remove"
            }
        }

        /// The entry of the audit log; nil for a removal, which workspace-service writes.
        var audited: AuditAction? {
            switch self {
            case .dismiss: .reportDismissed
            case .delete: .messageDeleted
            case .warn: .userWarned
            case .remove: nil
            }
        }

        /// Whether it does something to the user, and so is for those with a higher role.
        var isForLowerRoles: Bool { self == .warn || self == .remove }

        /// Whether it answers a report of this kind: nothing can be deleted of a user, and nobody is warned for a workspace.
        func fits(_ kind: Kind) -> Bool {
            switch self {
            case .dismiss: true
            case .delete: kind == .message
            case .warn, .remove: kind != .workspace
            }
        }
    }

    /// A message as it was when it was reported.
    struct Copy: Sendable {
        let seq: Int64
        let author: UserID
        let nickname: String
        let content: String
        let files: [String]
        let sentAt: Timestamp
        let editedAt: Timestamp?
    }

    /// What was reported, as it was.
    struct Evidence: Sendable {
        /// The reported message last, after the messages before it.
        var messages: [Copy] = []
        /// Nil if the reported user or workspace had no picture.
        var picture: ReportPicture?
    }

    /// The reported user, or the author of the reported message, with the names of the time of the report.
    struct Subject: Sendable {
        let user: UserID
        let nickname: String?
        let profileImage: String?
    }

    /// The reported workspace, as it was at the time of the report.
    struct WorkspaceCopy: Sendable {
        let name: String
        let image: String?
    }

    /// The words of the reporter.
    struct Complaint: Sendable {
        let reason: Reason
        let text: String
    }

    struct Answer: Sendable {
        let action: Action
        let at: Timestamp
    }

    let id: ReportID
    let workspace: WorkspaceID
    let kind: Kind
    /// Nil for a workspace.
    let subject: Subject?
    /// Nil unless a workspace was reported.
    let workspaceCopy: WorkspaceCopy?
    /// Nil unless a message was reported.
    let message: MessageKey?
    let complaint: Complaint
    /// Nil once the account of the reporter has been deleted.
    let reporter: UserID?
    let createdAt: Timestamp
    let isForOperators: Bool
    /// Nil while the report is open.
    let answer: Answer?
    var evidence = Evidence()
}

/// A report as its reporter writes it.
struct NewReport: Sendable {
    let kind: Report.Kind
    let workspace: WorkspaceID
    let subject: MemberView?
    var workspaceCopy: Report.WorkspaceCopy?
    let message: MessageKey?
    let reason: Report.Reason
    let text: String
    let reporter: UserID
    let isForOperators: Bool
    let copies: [Report.Copy]

    /// The path of the picture of the reported user or workspace.
    var picture: String? { subject?.profileImage ?? workspaceCopy?.image }
}
