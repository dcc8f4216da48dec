import Contract
import EngineIO
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
    let proxies: TrustedProxies
    let shares: SocketShares
    /// The profile of anonymous sockets; nil where they are refused.
    let anonymous: ClientProfile?

    /// The proof of identity that a socket shows.
    struct Credential: Sendable {
        fileprivate let token: String
        fileprivate let purpose: Authenticator.Purpose
    }

    /// Where a handshake came from, and the proof of identity that it showed.
    struct Origin: Sendable {
        let credential: Credential?
        /// The client's address. It limits questions about unknown tokens of bots.
        let address: String
    }

    /// The client's address has shown too many unknown tokens, so auth-service is not asked about this one now. It may be valid.
    struct TooManyTokens: Error {}

    /// The result of checking a handshake.
    struct Handshake: Sendable {
        let origin: Origin
        /// Nil without a valid credential, and while nobody can tell whether it is valid.
        let identity: Identity?
        /// The slot among the sockets of the user, or among those without a valid credential.
        let slot: SocketShares.Slot?
    }

    /// Reads and checks the credential of a request for a socket. A credential that nobody can check now is checked again
    /// when the socket joins a room, and until then the socket does not count as nameless: an outage must not keep users out.
    ///
    /// - Throws: `EngineError.unavailable` if the user has too many sockets, too many sockets have no identity, or the address has
    ///   shown too many unknown tokens.
    func handshake(_ request: Request) async throws(EngineError) -> Handshake {
        let origin = Origin(credential: credential(of: request), address: proxies.origin(of: request).address)
        var identity: Identity?
        if let credential = origin.credential {
            do {
                identity = try await self.identity(of: credential, from: origin.address)
            } catch is TooManyTokens {
                throw EngineError.unavailable("Too many unknown tokens of one address")
            } catch {
                return Handshake(origin: origin, identity: nil, slot: nil)
            }
        }
        if identity == nil && anybody != nil { return Handshake(origin: origin, identity: nil, slot: nil) }
        guard let slot = shares.take(for: identity?.user) else {
            throw .unavailable("Too many sockets \(identity == nil ? "without an identity" : "of one user")")
        }
        return Handshake(origin: origin, identity: identity, slot: slot)
    }

    /// The credential of a handshake; nil for an anonymous one. The cookie of a page of a foreign origin does not count.
    func credential(of request: Request) -> Credential? {
        if let header = request.headers.text(.authorization), !header.isEmpty {
            let token = header.lowercased().hasPrefix("bearer ") ? String(header.dropFirst(7)) : header
            return Credential(token: token, purpose: .access)
        }
        guard origins.allow(request, isSecure: proxies.origin(of: request).isSecure),
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
    /// - Throws: while nobody can tell; ``TooManyTokens`` if nobody was asked.
    func identity(of credential: Credential, from address: String) async throws -> Identity? {
        do {
            let identity = try await authenticator.identity(
                of: Array(credential.token.utf8), for: credential.purpose, from: address)
            guard let profile = profiles[name: identity.profile] else { return nil }
            return Identity(caller: identity.caller, profile: profile)
        } catch let failure as Failure where failure.code == .tooManyCalls {
            throw TooManyTokens()
        } catch let failure as Failure where failure != .unavailable {
            return nil
        }
    }

    /// A user's right in a room.
    struct Standing: Sendable {
        /// False for a user that sees the channel but is not a member.
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
