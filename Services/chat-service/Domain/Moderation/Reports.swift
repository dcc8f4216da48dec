import Contract
import ServiceKit
import Wire

/// Takes reports, and lets owners and operators answer them.
///
/// A report keeps a copy of the messages and of the picture of the reported user or workspace, and holds the files of the messages,
/// so that an edit or a deletion afterwards changes nothing.
/// Operators answer reports about the owner of a workspace, about the workspace itself, and in workspaces that nobody owns.
/// Nobody sees a report about themselves.
struct Reports: Sendable {
    let store: ReportStore
    let access: RoomAccess
    let messages: MessageStore
    let names: RoomNames
    let changes: MessageChanges
    let publisher: ModerationPublisher
    let pictures: ReportPictures
    let limits: ReportLimits

    /// Messages before the reported one that are copied with it.
    private static let context: Int64 = 5
    /// No more of them are copied once they have so many bytes.
    private static let contextBytes = 1 << 20

    // MARK: Reporting

    /// The subject of a report, as its reporter names it.
    enum Subject: Sendable {
        case message(RoomID, seq: Int64)
        case user(UserID, WorkspaceID)
        case workspace(WorkspaceID)
    }

    /// Stores a report. A repeated report returns the first one while it is open.
    func report(_ subject: Subject, _ reason: Report.Reason, text: String, by user: UserID) async throws -> Report {
        let new: NewReport
        switch subject {
        case .message(let room, let seq): new = try await ofMessage(room, seq, reason, text, by: user)
        case .user(let subject, let workspace):
            let reporter = try await access.member(user, of: workspace)
            try await access.requireMembers([subject], of: workspace)
            // A guest does not learn of members outside of their channels.
            if reporter.isGuest { try await access.requireSight(of: subject, for: user, in: workspace) }
            guard user != subject else { throw Self.ofOneself }
            new = NewReport(
                kind: .user, workspace: workspace, subject: try await changes.profiles.member(subject), message: nil,
                reason: reason, text: text, reporter: user,
                isForOperators: try await isForOperators(subject, in: workspace), copies: [])
        case .workspace(let workspace):
            try await access.requireMember(user, of: workspace)
            let summary = try await access.workspaces.summary(of: workspace)
            new = NewReport(
                kind: .workspace, workspace: workspace, subject: nil,
                workspaceCopy: summary?.name.map { Report.WorkspaceCopy(name: $0, image: summary?.image) },
                message: nil, reason: reason, text: text, reporter: user, isForOperators: true, copies: [])
        }
        guard let id = try await store.insert(new, limit: limits.ofUserPerDay, at: .now),
            let report = try await store.find(id, in: new.workspace)
        else { throw Failure.tooManyCalls(retryAfter: .seconds(3600)) }
        pictures.wake()
        return report
    }

    private func ofMessage(
        _ room: RoomID, _ seq: Int64, _ reason: Report.Reason, _ text: String, by user: UserID
    ) async throws -> NewReport {
        let target = try await access.target(room, for: user, writing: false)
        guard seq > 0 else { throw Failure.notFound }
        let message = try await changes.existing(MessageKey(target.key, seq: seq))
        guard message.author != user else { throw Self.ofOneself }
        let before = try await messages.page(
            of: target.key, after: max(0, seq - Self.context - 1), through: seq - 1, limit: Int(Self.context),
            bytes: Int(Self.context) * SendRequest.maxText)
        let found = Self.nearest(before) + [message]
        let people = try await changes.profiles.members(found.map(\.author))
        let copies = found.map { message in
            Report.Copy(
                seq: message.seq, author: message.author,
                nickname: (people[message.author] ?? .deleted(message.author)).nickname, content: message.content,
                files: message.files, sentAt: message.createdAt, editedAt: message.details.editedAt)
        }
        return NewReport(
            kind: .message, workspace: target.workspace,
            subject: people[message.author] ?? .deleted(message.author), message: message.key, reason: reason,
            text: text, reporter: user, isForOperators: try await isForOperators(message.author, in: target.workspace),
            copies: copies)
    }

    /// The last of some messages. The first ones are missing if they are long: otherwise an author could keep out the others by a long
    /// message in front of them.
    private static func nearest(_ messages: [StoredMessage]) -> ArraySlice<StoredMessage> {
        var (start, bytes) = (messages.endIndex, 0)
        while start > messages.startIndex, bytes < contextBytes {
            start -= 1
            bytes += messages[start].content.utf8.count
        }
        return messages[start...]
    }

    /// Whether a report about a user is beyond the owner of the workspace, or has no owner to answer it.
    private func isForOperators(_ subject: UserID, in workspace: WorkspaceID) async throws -> Bool {
        let owner = try await access.workspaces.owner(of: workspace)
        return owner == nil || owner == subject
    }

    private static let ofOneself = Failure.invalid("You cannot report yourself.")

    // MARK: Queues

    /// The reports that the owner or an admin of a workspace answers, oldest first, without those about themselves.
    func list(
        in workspace: WorkspaceID, for user: UserID, isOpen: Bool, after id: Int64, limit: Int
    ) async throws -> [Report] {
        try await access.requireModerator(user, of: workspace)
        return try await store.list(in: workspace, notAbout: user, isOpen: isOpen, after: id, limit: limit)
    }

    /// The reports that operators answer, oldest first: those that no owner may answer, and those of owners that are overdue. Says
    /// whether none is missing, as while a part of a divided schema is out of reach.
    func listForOperators(
        isOpen: Bool, after id: Int64, limit: Int
    ) async throws -> (reports: [Report], isComplete: Bool) {
        try await store.listForOperators(isOpen: isOpen, after: id, notBefore: .now - limits.term, limit: limit)
    }

    // MARK: Files

    /// The file of a report that the user may answer, even if its message has been deleted; nil if there is none.
    func file(_ name: String, for user: UserID) async throws -> FileRecord? {
        for held in try await store.files.find(name) where !held.isForOperators && held.subject != user {
            if try await access.isModerator(user, of: held.file.workspace) { return held.file }
        }
        return nil
    }

    /// A file of any report, for operators; nil if the report does not hold it.
    func fileForOperators(_ name: String, of report: ReportID) async throws -> FileRecord? {
        guard let workspace = try await store.workspace(of: report) else { return nil }
        return try await store.files.find(name, of: report, in: workspace)?.file
    }

    // MARK: Answers

    /// Answers a report of a workspace as its owner or an admin.
    func answer(
        _ id: ReportID, in workspace: WorkspaceID, _ action: Report.Action, by owner: UserID, from origin: AuditOrigin
    ) async throws -> Report {
        let role = try await access.member(owner, of: workspace)
        guard role.isModerator else { throw Failure.notAllowed }
        // As for any deletion of a message of another one.
        if action == .delete { try await changes.moderation.rules(of: workspace).requireWriting(owner) }
        guard let report = try await store.find(id, in: workspace), !report.isForOperators,
            report.subject?.user != owner
        else { throw Failure.notFound }
        if action.isForLowerRoles, let subject = report.subject?.user,
            let theirs = try await access.role(of: subject, in: workspace), role.memberRole <= theirs
        {
            throw Failure.notAllowed
        }
        return try await answer(report, action, by: owner, from: origin)
    }

    /// Answers any report as an operator.
    func answerAsOperator(_ id: ReportID, _ action: Report.Action) async throws -> Report {
        guard let report = try await store.findForOperator(id) else { throw Failure.notFound }
        return try await answer(report, action, by: nil, from: nil)
    }

    /// The effect comes first: if the service ends before the answer is stored, the same answer again completes it.
    private func answer(
        _ report: Report, _ action: Report.Action, by user: UserID?, from origin: AuditOrigin?
    ) async throws -> Report {
        guard action.fits(report.kind) else {
            throw Failure.invalid("This action does not fit a report of a \(report.kind.text).")
        }
        if let answer = report.answer {
            guard answer.action == action else { throw Failure(.refused, "The report has been answered already.") }
            return report
        }
        switch action {
        case .dismiss: break
        case .warn:
            // A warning would stay after everything else of the account has been erased.
            if let subject = report.subject, try await changes.profiles.members([subject.user]).isEmpty {
                throw Failure(.refused, "The account has been deleted.")
            }
        case .delete: if let key = report.message { try await delete(key, in: report.workspace, by: user) }
        case .remove:
            if let subject = report.subject {
                try await access.workspaces.removeAfterReport(subject.user, from: report.workspace, by: user)
            }
        }
        try await record(report, action, by: user, from: origin)
        _ = try await store.answer(report, action, by: user, at: .now)
        if action == .warn { publisher.changed(report.workspace) }
        guard let answered = try await store.find(report.id, in: report.workspace), let answer = answered.answer else {
            throw Failure.notFound
        }
        guard answer.action == action else { throw Failure(.refused, "The report has been answered already.") }
        return answered
    }

    /// Writes an answer into the audit log, once. workspace-service writes the removals itself. Answers to reports about the
    /// owner stay out of the log, which the owner reads.
    private func record(
        _ report: Report, _ action: Report.Action, by user: UserID?, from origin: AuditOrigin?
    ) async throws {
        guard !report.isForOperators, let audited = action.audited else { return }
        let subject = report.message.map { "\($0.room)/\($0.seq)" } ?? ""
        try await access.workspaces.record(
            AuditEvent(
                audited, by: user, to: report.subject?.user, subject: subject,
                detail: ["report": report.id.description], from: origin),
            of: report.workspace, key: "chat-report-\(report.id)-\(action.text)", at: .now)
    }

    /// Deletes the reported message at its place in the changes of its room. One that is gone needs no deletion.
    private func delete(_ key: MessageKey, in workspace: WorkspaceID, by user: UserID?) async throws {
        let name = try await names.of([key.roomKey])[key.room]?.name
        let change = PendingChange(
            target: MessageTarget(room: key.room, workspace: workspace, name: name), seq: key.seq,
            user: user ?? .system, kind: .delete)
        if case .done(_, let erasedFiles) = try await changes.committer.apply(change), !erasedFiles.isEmpty {
            await changes.attachments.discard(paths: erasedFiles, in: workspace)
        }
    }
}

/// The limits of reports.
struct ReportLimits: Sendable {
    /// Reports of one user in 24 hours.
    let ofUserPerDay: Int
    /// How long an open report may wait before it is overdue.
    let term: Duration
    /// How long an answered report and its copies are kept.
    let retention: Duration
}
