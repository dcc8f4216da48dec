public import Contract
internal import EventLoop

extension ServiceBuilder {
    /// Verifies tokens and knows revocations; by auth-service's internal API, unless another authority was given before.
    public func access() throws -> (authenticator: Authenticator, revocations: Revocations) {
        if let known = tokens.access { return known }
        let authority = tokens.authority ?? AuthClient(internalClient(config[CommonSettings.authURL]))
        let revocations = Revocations(
            authority: authority, memory: profiles.longestTokenLifetime, on: loops.loops[0])
        let authenticator = Authenticator(authority: authority, revocations: revocations, on: loops)
        let subscriber = try subscriber()
        background("revocations") { try await revocations.follow(subscriber, on: $0) }
        background("keys", every: Authenticator.keyRefresh, authenticator.refreshKeys)
        readiness("keys") { try await authenticator.requireKeys() }
        tokens.access = (authenticator, revocations)
        return (authenticator, revocations)
    }

    /// Verifies tokens by `authority`; for auth-service, which issues them.
    public func verifyTokens(by authority: any TokenAuthority) { tokens.authority = authority }

    /// Signs URLs of files.
    public func fileLinks() throws -> FileLinks {
        FileLinks(
            credential: credential,
            lifetime: min(config[CommonSettings.fileLinkLifetime], profiles.longestTokenLifetime),
            revocations: try access().revocations)
    }

    /// The internal addresses of the services.
    public var peers: Peers {
        Peers(
            auth: config[CommonSettings.authURL], workspace: config[CommonSettings.workspaceURL],
            chat: config[CommonSettings.chatURL], realtime: config[CommonSettings.realtimeURL],
            payment: config[CommonSettings.paymentURL])
    }

    /// The internal addresses of the services that others call.
    public struct Peers: Sendable {
        public let auth, workspace, chat, realtime, payment: String
    }

    /// The secret that services present to each other.
    public var credential: String { config[CommonSettings.credential].revealed }

    /// A client of another service's internal API, with a deadline for each call: nil for that of the settings.
    public func internalClient(_ base: String, deadline: Duration? = nil) -> InternalClient {
        InternalClient(
            base, credential: credential, http: http, deadline: deadline ?? config[CommonSettings.internalTimeout])
    }
}
