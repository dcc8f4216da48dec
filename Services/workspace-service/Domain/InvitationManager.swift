import Contract
import Crypto
import Postgres
import ServiceKit
import Wire

/// Makes, lists and revokes invitations, and admits their holders.
struct InvitationManager: Sendable {
    let workspaces: Workspaces
    let store: InvitationStore
    let channelMembers: ChannelMemberStore
    let auth: AuthClient
    let profiles: ProfileCache
    let limits: InvitationLimits
    let tokens: InvitationTokens

    private var facts: WorkspaceFactPublisher { workspaces.facts }

    /// Active invitations of a workspace.
    private static let mostActive = 1000
    /// How long invitations stay in the list after their end.
    private static let retention = Duration.seconds(90 * 86_400)

    /// Makes an invitation. One with a recipient is mailed.
    func create(
        _ terms: InvitationTerms, in id: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws -> Invitation {
        try await workspaces.require(.invite, of: user, in: id)
        if terms.recipient != nil {
            guard try await auth.sendsMail() else {
                throw Failure(.serverError, "This server sends no mail.", status: 503)
            }
            try limits.admit(user, to: id)
        }
        return try await workspaces.changing(id, by: user) { workspace, role, tx in
            try Policy.invite(role, as: terms.role)
            guard try await store.activeCount(id, at: .now, in: tx) < Self.mostActive else {
                throw Failure.invalid("The workspace has too many invitations.")
            }
            guard try await store.countChannels(terms.channels, in: id, tx) == Set(terms.channels).count else {
                throw Failure.invalid("channels must be channels of the workspace.")
            }
            let seed = SecureRandom.bytes(32)
            let hash = tokens.hash(of: tokens.token(of: seed))
            let invitation = try await store.insert(terms, seed, hash, in: id, by: user, at: .now, tx)
            let event = AuditEvent(
                .invitationCreated, by: user, subject: "invitation-\(invitation.id)",
                detail: ["role": terms.role.rawValue, "kind": invitation.kind.rawValue], from: origin)
            try await workspaces.audit.record(event, of: id, in: tx)
            if terms.recipient != nil { try await facts.invitationMailed(invitation.id, of: workspace, in: tx) }
            return invitation
        }
    }

    /// A page of the invitations, newest first, and the role of the reader.
    func list(
        _ id: WorkspaceID, _ page: Page, for user: UserID
    ) async throws -> (found: [Invitation], role: WorkspaceRole) {
        let role = try await workspaces.require(.invite, of: user, in: id)
        return (try await store.list(id, page), role)
    }

    /// Ends an invitation. Idempotent.
    func revoke(
        _ invitation: InvitationID, of id: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws {
        try await workspaces.changing(id, by: user) { _, role, tx in
            try Policy.require(.invite, of: role)
            guard let found = try await store.find(invitation, of: id, in: tx) else { throw Failure.notFound }
            guard found.revokedAt == nil else { return }
            try await store.revoke(invitation, at: .now, tx)
            let event = AuditEvent(
                .invitationRevoked, by: user, subject: "invitation-\(invitation)", from: origin)
            try await workspaces.audit.record(event, of: id, in: tx)
        }
    }

    /// The invitation of a token, with its workspace and inviter.
    func preview(_ token: String) async throws -> (invitation: Invitation, workspace: Workspace, by: MemberView?) {
        guard let invitation = try await store.find(tokenHash: tokens.hash(of: token)),
            invitation.state(at: .now) == .active,
            let workspace = try await workspaces.store.find(invitation.workspace)
        else { throw Self.notValid }
        var inviter: MemberView?
        if let user = invitation.createdBy { inviter = try await profiles.members([user])[user] }
        return (invitation, workspace, inviter)
    }

    /// Makes the caller a member. A member does not use an invitation up, and needs no valid one: a client that has lost the reply asks
    /// again.
    func accept(_ token: String, _ user: UserID, from origin: AuditOrigin) async throws -> Workspace {
        guard let found = try await store.find(tokenHash: tokens.hash(of: token)) else { throw Self.notValid }
        let id = found.workspace
        let (workspace, isNew) = try await workspaces.changing(id, by: user) { workspace, role, tx in
            guard role == .outsider else { return (workspace, false) }
            // Read again under the lock of the workspace, where uses are counted and invitations revoked.
            guard let invitation = try await store.find(found.id, of: id, in: tx),
                invitation.state(at: .now) == .active, let inviter = invitation.createdBy
            else { throw Self.notValid }
            // An inviter that has lost the right to invite, or is locked out, admits nobody.
            let place = try await workspaces.members.place(of: inviter, in: id, in: tx)
            guard !place.isLockedOut, (try? Policy.invite(place.role, as: invitation.terms.role)) != nil else {
                throw Self.notValid
            }
            let addition = try await workspaces.admit(user, to: workspace, as: invitation.terms.role, in: tx)
            let isTold = addition != .lockedOut
            try await enter(invitation.terms.channels, user, of: workspace, isTold: isTold, in: tx)
            try await store.use(invitation.id, tx)
            let event = AuditEvent(
                .invitationAccepted, by: user, to: user, subject: "invitation-\(invitation.id)",
                detail: ["role": invitation.terms.role.rawValue], from: origin)
            try await workspaces.audit.record(event, of: id, in: tx)
            return (workspace, true)
        }
        if isNew {
            facts.hint(id, user: user)
            facts.tell(.entered, of: id, .member(user, of: nil))
        }
        return workspace
    }

    /// Puts a new member in those of the channels that still exist.
    ///
    /// - Parameter isTold: false for a locked-out member, unknown to the other services.
    private func enter(
        _ channels: [ChannelID], _ user: UserID, of workspace: Workspace, isTold: Bool, in tx: PostgresTransaction
    ) async throws {
        for id in channels {
            guard let channel = try await workspaces.channels.find(.id(id), of: workspace.id, in: tx),
                try await channelMembers.add(user, to: channel, at: .now, in: tx)
            else { continue }
            if isTold { try await facts.channelMemberAdded(user, to: channel, of: workspace, in: tx) }
        }
    }

    /// The values of an invitation's mail; throws `notFound` if the mail is not wanted any more.
    ///
    /// - Parameter link: the address that invitations are opened at.
    func mail(of id: InvitationID, link: String) async throws -> InvitationMail {
        guard let invitation = try await store.find(id), invitation.state(at: .now) == .active,
            let recipient = invitation.terms.recipient,
            let workspace = try await workspaces.store.find(invitation.workspace)
        else { throw Failure.notFound }
        var inviter: MemberView?
        if let user = invitation.createdBy { inviter = try await profiles.members([user])[user] }
        return InvitationMail(
            recipient: recipient, language: invitation.terms.language, seed: invitation.seed,
            workspace: workspace.name, inviter: inviter?.nickname ?? "", link: link,
            expiresAt: invitation.terms.expiresAt)
    }

    /// Deletes invitations that ended long ago, and the addresses of mails that ended.
    func forgetOld() async throws { try await store.forget(endedBefore: .now - Self.retention, now: .now) }

    private static let notValid = Failure(.notFound, "The invitation is not valid any more.")
}
