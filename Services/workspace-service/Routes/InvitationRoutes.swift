import Contract
import HTTP
import ServiceKit
import Wire

/// Invitations and requests to join, for clients of the native API.
struct InvitationRoutes: Sendable {
    let manager: InvitationManager
    let requests: JoinRequests
    /// The address that invitations are opened at; the token follows it. Empty if there is none.
    let link: String

    func register(in routes: inout PublicRoutes) {
        let workspace = "/v1/workspaces/{id}"
        routes.native(.post, workspace + "/invitations", create)
        routes.native(.get, workspace + "/invitations", list)
        routes.native(.delete, workspace + "/invitations/{invitation_id}", revoke)
        // Tokens stand in bodies, because paths stand in logs.
        routes.native(.post, "/v1/workspaces/invitations/preview", preview)
        routes.native(.post, "/v1/workspaces/invitations/accept", accept)
        routes.native(.post, workspace + "/join-requests", ask)
        routes.native(.get, workspace + "/join-requests", listRequests)
        routes.native(.put, workspace + "/join-requests/{user_id}", decide)
        routes.native(.delete, workspace + "/join-requests", withdraw)
    }

    func registerInternal(in routes: inout InternalRoutes) { routes.add(InvitationMailRequest.self, mail) }

    // MARK: Invitations

    func create(_ call: Call, _ caller: Caller) async throws -> Response {
        let id: WorkspaceID = try call.id("id")
        let fields = try await call.fields()
        let role = try fields.optionalText("role").map(WorkspaceRole.init(client:)) ?? .member
        let email = try fields.optionalText("email")
        if let email, !Self.isAddress(email) { throw Failure.invalid("The email is not valid.") }
        let terms = try InvitationTerms(
            role: role, channels: fields.hasValue("channels") ? try fields.ids("channels") : [],
            lifetime: fields.hasValue("expiresIn") ? .seconds(try fields.number("expiresIn")) : nil,
            maxUses: fields.hasValue("uses") ? try fields.number("uses") : nil, recipient: email,
            language: try fields.optionalText("language"), now: .now)
        let invitation = try await manager.create(terms, in: id, by: caller.user, from: call.origin(of: caller))
        return call.created(view(invitation, for: .owner))
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.listLimit()
        let (found, role) = try await manager.list(
            try call.id("id"), Page(before: try call.placeCursor(), limit: limit), for: caller.user)
        let last = found.count == limit ? found.last : nil
        return call.page(found, next: last.map { "\($0.createdAt.milliseconds)-\($0.id)" }) { invitation, json in
            json.view(view(invitation, for: role), for: call.profile)
        }
    }

    func revoke(_ call: Call, _ caller: Caller) async throws -> Response {
        try await manager.revoke(
            try call.id("invitation_id"), of: try call.id("id"), by: caller.user, from: call.origin(of: caller))
        return call.done()
    }

    func preview(_ call: Call, _ caller: Caller) async throws -> Response {
        let (invitation, workspace, inviter) = try await manager.preview(try await call.fields().text("token"))
        return call.reply { json in
            json.object { json in
                json.object("workspace") { json in
                    json.field("workspace_id", workspace.id, for: call.profile)
                    json.field("name", workspace.name)
                    json.field("description", workspace.description)
                }
                json.field("role", invitation.terms.role.rawValue)
                if let inviter { json.field("invitedBy", inviter.nickname) }
                json.field("expiresAt", invitation.terms.expiresAt)
            }
        }
    }

    func accept(_ call: Call, _ caller: Caller) async throws -> Response {
        let token = try await call.fields().text("token")
        return call.reply(try await manager.accept(token, caller.user, from: call.origin(of: caller)).view())
    }

    func mail(_ request: InvitationMailRequest) async throws -> InvitationMail {
        try await manager.mail(of: request.invitation, link: link)
    }

    /// An invitation with its link, unless the reader may not offer its role: admins would make further admins by the links of owners.
    private func view(_ invitation: Invitation, for reader: WorkspaceRole) -> InvitationView {
        let showsLink = invitation.kind == .link && (try? Policy.invite(reader, as: invitation.terms.role)) != nil
        return InvitationView(
            invitation: invitation, token: showsLink ? manager.tokens.token(of: invitation.seed) : nil, link: link)
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return text.utf8.count <= 254 && parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
            && !text.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }
    }

    // MARK: Requests to join

    func ask(_ call: Call, _ caller: Caller) async throws -> Response {
        let id: WorkspaceID = try call.id("id")
        let text = try await call.fields().optionalText("text") ?? ""
        let request = try await requests.ask(id, text: text, by: caller.user, from: call.origin(of: caller))
        return call.reply { json in
            json.object { json in
                json.field("text", request.text)
                json.field("createdAt", request.createdAt)
            }
        }
    }

    func listRequests(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.listLimit()
        let found = try await requests.list(
            try call.id("id"), Page(after: try call.placeCursor(), limit: limit), for: caller.user)
        let last = found.count == limit ? found.last?.request : nil
        return call.page(
            found.filter { $0.profile != nil }, next: last.map { "\($0.createdAt.milliseconds)-\($0.user)" }
        ) { found, json in
            json.object { json in
                if let profile = found.profile { json.field("user", profile, for: call.profile) }
                json.field("text", found.request.text)
                json.field("createdAt", found.request.createdAt)
            }
        }
    }

    func decide(_ call: Call, _ caller: Caller) async throws -> Response {
        guard let decision = JoinDecision(rawValue: try await call.fields().text("action")) else {
            throw Failure.invalid("action must be approve or decline.")
        }
        try await requests.decide(
            decision, about: try call.id("user_id"), in: try call.id("id"), by: caller.user,
            from: call.origin(of: caller))
        return call.done()
    }

    func withdraw(_ call: Call, _ caller: Caller) async throws -> Response {
        try await requests.withdraw(try call.id("id"), by: caller.user)
        return call.done()
    }
}
