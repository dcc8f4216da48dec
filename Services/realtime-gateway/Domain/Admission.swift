import Contract
import HTTP
import ServiceKit
import SocketIO
import Wire

/// Who may open a socket, and who may enter which room.
struct Admission: Sendable {
    let authenticator: Authenticator
    let revocations: Revocations
    let profiles: ClientProfiles
    let workspaces: WorkspaceClient
    let chat: ChatClient
    let origins: AllowedOrigins
    /// How sockets are served that do not say whose they are; nil where such are refused.
    let anonymous: ClientProfile?

    /// What a socket shows to say whose it is.
    struct Claim: Sendable {
        fileprivate let token: String
        fileprivate let purpose: Authenticator.Purpose
    }

    /// What a handshake says of whose socket it opens; nil where it says nothing. A page of a foreign origin has no cookie
    /// here.
    func claim(of request: Request) -> Claim? {
        if let header = request.headers.text(.authorization), !header.isEmpty {
            let token = header.lowercased().hasPrefix("bearer ") ? String(header.dropFirst(7)) : header
            return Claim(token: token, purpose: .access)
        }
        guard origins.allow(request),
            let token = request.headers.text(.cookie).flatMap({ CookieField($0)[SocketCookie.name] })
        else { return nil }
        return Claim(token: token, purpose: .socket)
    }

    /// What the payload says that a socket joins with: `{"token": "<access token>"}`.
    func claim(of authentication: SocketIOAuthentication) -> Claim? {
        guard case .payload(let payload) = authentication, let token = payload["token"]?.string else { return nil }
        return Claim(token: token, purpose: .access)
    }

    /// The identity of a socket that says nothing of itself; nil where such are refused.
    var anybody: Identity? { anonymous.map { Identity(caller: nil, profile: $0) } }

    func isRevoked(_ session: SessionID) -> Bool { revocations.contains(session) }

    /// Whose socket it is; nil where the claim does not hold.
    ///
    /// - Throws: where that cannot be told now.
    func identity(of claim: Claim) async throws -> Identity? {
        do {
            let identity = try await authenticator.identity(of: Array(claim.token.utf8), for: claim.purpose)
            guard let profile = profiles[name: identity.profile] else { return nil }
            return Identity(caller: identity.caller, profile: profile)
        } catch let failure as Failure where failure != .unavailable {
            return nil
        }
    }

    /// What a user is to a room.
    struct Standing: Sendable {
        /// False for one who sees the channel and is not in it.
        let isMember: Bool
        let workspace: WorkspaceID
    }

    /// What the user is to the room; nil where they may not enter.
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

/// The pages whose browsers may use the cookie: our own, and those that the settings name.
struct AllowedOrigins: Sendable {
    private let origins: Set<String>

    init(_ origins: [String]) { self.origins = Set(origins) }

    func allow(_ request: Request) -> Bool {
        guard let origin = request.headers.text(.origin) else { return true }
        return contains(origin) || isOwn(origin, host: String(decoding: request.host, as: UTF8.self))
    }

    func contains(_ origin: String) -> Bool { origins.contains(origin) }

    /// Apps, which have no pages, name the address that they call.
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
