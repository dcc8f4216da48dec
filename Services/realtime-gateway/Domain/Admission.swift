import Contract
import HTTP
import ServiceKit
import SocketIO
import Wire

/// Decides which sockets may be opened, and which rooms they may enter.
struct Admission: Sendable {
    let authenticator: Authenticator
    let revocations: Revocations
    let profiles: ClientProfiles
    let workspaces: WorkspaceClient
    let chat: ChatClient
    let origins: AllowedOrigins
    /// The profile of anonymous sockets; nil where they are refused.
    let anonymous: ClientProfile?

    /// The proof of identity that a socket shows.
    struct Credential: Sendable {
        fileprivate let token: String
        fileprivate let purpose: Authenticator.Purpose
    }

    /// The credential of a handshake; nil for an anonymous one. The cookie of a page of a foreign origin does not count.
    func credential(of request: Request) -> Credential? {
        if let header = request.headers.text(.authorization), !header.isEmpty {
            let token = header.lowercased().hasPrefix("bearer ") ? String(header.dropFirst(7)) : header
            return Credential(token: token, purpose: .access)
        }
        guard origins.allow(request),
            let token = request.headers.text(.cookie).flatMap({ CookieField($0)[SocketCookie.name] })
        else { return nil }
        return Credential(token: token, purpose: .socket)
    }

    /// The credential in the payload of a join: `{"token": "<access token>"}`.
    func credential(of authentication: SocketIOAuthentication) -> Credential? {
        guard case .payload(let payload) = authentication, let token = payload["token"]?.string else { return nil }
        return Credential(token: token, purpose: .access)
    }

    /// The identity of anonymous sockets; nil where they are refused.
    var anybody: Identity? { anonymous.map { Identity(caller: nil, profile: $0) } }

    func isRevoked(_ session: SessionID) -> Bool { revocations.contains(session) }

    /// The identity that a credential proves; nil for an invalid one.
    ///
    /// - Throws: while nobody can tell.
    func identity(of credential: Credential) async throws -> Identity? {
        do {
            let identity = try await authenticator.identity(of: Array(credential.token.utf8), for: credential.purpose)
            guard let profile = profiles[name: identity.profile] else { return nil }
            return Identity(caller: identity.caller, profile: profile)
        } catch let failure as Failure where failure != .unavailable {
            return nil
        }
    }

    /// A user's right in a room.
    struct Standing: Sendable {
        /// False for a user who sees the channel without being a member of it.
        let isMember: Bool
        let workspace: WorkspaceID
    }

    /// The user's right in the room; nil for none.
    func standing(of user: UserID, in room: RoomID) async throws -> Standing? {
        if let channel = room.channel {
            let access = try await workspaces.access(of: user, channels: [channel]).channels.first
            return access.map { Standing(isMember: $0.isMember, workspace: $0.workspace) }
        }
        guard let dm = room.dm, let access = try await chat.dms([dm], of: user).first else { return nil }
        // Once one of the two has left the workspace, the other one still has the room.
        if !access.isOpen, try await workspaces.access(of: user, workspaces: [access.workspace]).workspaces.isEmpty {
            return nil
        }
        return Standing(isMember: true, workspace: access.workspace)
    }
}

/// The origins of pages whose browsers may use the cookie: our own, and those in the settings.
struct AllowedOrigins: Sendable {
    private let origins: Set<String>

    init(_ origins: [String]) { self.origins = Set(origins) }

    func allow(_ request: Request) -> Bool {
        guard let origin = request.headers.text(.origin) else { return true }
        return contains(origin) || isOwn(origin, host: String(decoding: request.host, as: UTF8.self))
    }

    func contains(_ origin: String) -> Bool { origins.contains(origin) }

    /// Apps have no pages, and name the address that they call.
    private func isOwn(_ origin: String, host: String) -> Bool {
        guard let scheme = origin.range(ofSeparator: "://") else { return false }
        return String(origin[scheme...]) == host
    }
}

extension String {
    /// The index behind the first occurrence of `separator`.
    fileprivate func range(ofSeparator separator: String) -> String.Index? {
        firstRange(of: separator)?.upperBound
    }
}
