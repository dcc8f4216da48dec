import Contract
import ServiceKit
import Wire

/// Registers, lists and deletes the commands of a workspace.
///
/// The entry of the audit log comes first: no change is without one.
struct Commands: Sendable {
    let store: CommandStore
    let access: RoomAccess
    let limits: CommandLimits
    /// The addresses that bots may have.
    let addresses: WebhookLimits
    let signer: WebhookSigner

    private static let descriptionLength = 1...200
    private static let hintLength = 1...100

    /// A command as a bot sends it.
    struct Wish: Sendable {
        let name: String
        let description: String
        let hint: String?
        let url: String
    }

    /// The commands that members of the workspace can run, by name.
    func list(in workspace: WorkspaceID, for user: UserID) async throws -> [Command] {
        try await access.requireMember(user, of: workspace)
        return try await store.list(of: workspace)
    }

    /// Registers a command of the calling bot.
    func register(
        _ wish: Wish, in workspace: WorkspaceID, by caller: Caller, from origin: AuditOrigin
    ) async throws -> Command {
        try await access.requireMember(caller.user, of: workspace)
        guard caller.scopes != nil else { throw Failure(.notAllowed, "Only bots register commands.") }
        let name = try CommandName(wish.name)
        let url = try addresses.checkedURL(wish.url)
        let description = try Self.checked(wish.description, "description", Self.descriptionLength)
        let hint = try wish.hint.flatMap { $0.isEmpty ? nil : $0 }.map { text throws(Failure) in
            try Self.checked(text, "hint", Self.hintLength)
        }
        let others = try await store.list(of: workspace)
        guard !others.contains(where: { $0.name == name }) else { throw Self.taken }
        guard others.count < limits.ofWorkspace else { throw Self.tooMany }
        try await record(.commandCreated, name, in: workspace, by: caller.user, from: origin)
        let made = try await store.insert(
            in: workspace, of: caller.user, name, description: description, hint: hint, url: url,
            seed: WebhookSigner.seed(), limit: limits.ofWorkspace, at: .now)
        // Others may have registered commands since the first look.
        guard let made else { throw try await store.find(name, in: workspace) == nil ? Self.tooMany : Self.taken }
        return made
    }

    /// Deletes a command of the calling bot. Owners and admins of the workspace delete the commands of every bot.
    func delete(
        _ id: CommandID, in workspace: WorkspaceID, by caller: Caller, from origin: AuditOrigin
    ) async throws {
        try await access.requireMember(caller.user, of: workspace)
        if caller.scopes == nil { try await access.requireManager(caller.user, of: workspace) }
        guard let command = try await store.find(id, in: workspace),
            caller.scopes == nil || command.bot == caller.user
        else { throw Failure.notFound }
        try await record(.commandDeleted, command.name, in: workspace, by: caller.user, from: origin)
        try await store.delete(id, in: workspace)
    }

    private static let taken = Failure.duplicate("The workspace has a command with this name.")
    private static let tooMany = Failure.invalid("The workspace has too many commands.")

    private static func checked(
        _ text: String, _ member: String, _ length: ClosedRange<Int>
    ) throws(Failure) -> String {
        let text = text.nfc
        guard text.hasLength(in: length), text.hasVisibleCharacter, !text.hasDeceptiveCharacters else {
            throw .invalid("\(member) must have \(length.lowerBound) to \(length.upperBound) visible characters.")
        }
        return text
    }

    private func record(
        _ action: AuditAction, _ name: CommandName, in workspace: WorkspaceID, by bot: UserID, from origin: AuditOrigin
    ) async throws {
        let now = Timestamp.now
        try await access.workspaces.record(
            AuditEvent(action, by: bot, subject: "command-\(name.text)", from: origin), of: workspace,
            key: "chat-\(action.rawValue)-\(name.text)-\(now.milliseconds)", at: now)
    }
}
