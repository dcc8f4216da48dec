public import Contract
internal import Crypto
public import EventLoop
public import HTTP
internal import Synchronization
public import Wire

/// Authenticates callers: verifies tokens offline with the authority's published keys, and refuses tokens of revoked
/// sessions.
public final class Authenticator: Sendable {
    /// The purpose of a token; a token is refused for any other purpose.
    public enum Purpose: Sendable, CaseIterable {
        case access, socket

        /// The `typ` of the token's header.
        public var type: String {
            switch self {
            case .access: "at+jwt"
            case .socket: "socket+jwt"
            }
        }

        /// The `aud` of the token's claims.
        public var audience: String {
            switch self {
            case .access: "maru"
            case .socket: "maru-socket"
            }
        }
    }

    /// The content of a valid token.
    public struct Identity: Sendable, Equatable {
        public let caller: Caller
        /// The name of the client profile in which the session was opened.
        public let profile: String
        public let expires: Timestamp
    }

    /// The `iss` of all tokens.
    public static let issuer = "maru"

    private let authority: any TokenAuthority
    private let bots: BotQuestions
    private let revocations: Revocations
    /// Fetches the keys for all loops.
    private let loop: EventLoop
    private let verifiers: Mutex<Verifiers>
    /// The fetch in flight, if any.
    private let fetching = Mutex<Task<Void, any Error>?>(nil)
    private let caches: LoopLocal<Cache>

    private static let cacheCapacity = 4096
    /// The shortest time between two fetches that tokens with unknown keys cause.
    private static let keyInterval = Duration.seconds(1)

    /// How long an answer about a bot's token is kept. Its revocation arrives like that of any session.
    private static let botLifetime = Duration.seconds(30)

    /// The time between two regular fetches, which learn a rotation before the first token of the new key arrives.
    static let keyRefresh = Duration.seconds(60)

    /// - Note: Confined to its loop, like every value of a `LoopLocal`.
    private final class Cache {
        /// Unchecked because the methods of `TokenCache` never call back into this cache.
        @exclusivity(unchecked) var tokens = TokenCache(capacity: Authenticator.cacheCapacity)
    }

    private struct Verifiers {
        var access: JWTVerifier
        var socket: JWTVerifier
        let isEmpty: Bool
        var fetchedAt: Timestamp?

        init(keys: VerificationKeySet) {
            isEmpty = keys.keys.isEmpty
            func verifier(_ purpose: Purpose) -> JWTVerifier {
                JWTVerifier(
                    keys: keys, issuer: Authenticator.issuer, audiences: [purpose.audience],
                    type: .named(purpose.type), requiresLowS: true)
            }
            access = verifier(.access)
            socket = verifier(.socket)
        }
    }

    /// Creates an authenticator without keys; `refreshKeys` fetches them.
    public init(authority: any TokenAuthority, revocations: Revocations, on group: EventLoopGroup) {
        self.authority = authority
        bots = BotQuestions(authority)
        self.revocations = revocations
        loop = group.loops[0]
        verifiers = Mutex(Verifiers(keys: VerificationKeySet([])))
        caches = LoopLocal(group) { _ in Cache() }
    }

    /// Fetches the authority's keys.
    public func refreshKeys() async throws {
        let keys = try await authority.keys()
        verifiers.withLock { verifiers in
            verifiers = Verifiers(keys: keys)
            verifiers.fetchedAt = .now
        }
    }

    /// Fetches the keys if none are known; throws if that fails.
    func requireKeys() async throws {
        if verifiers.withLock({ $0.isEmpty }) { try await refreshKeys() }
    }

    /// The caller, by the access token in the `Authorization` header, with or without `Bearer`. The token must have been
    /// issued under the client profile of the request's API key. The address limits questions about unknown tokens of bots.
    public func caller(
        of request: Request, under profile: ClientProfile, from address: @autoclosure () -> String
    ) async throws -> Caller {
        if let known = try knownIdentity(of: request) { return try Self.caller(known, under: profile) }
        let token = try Self.token(of: request)
        let identity = try await identity(of: token, for: .access, from: address())
        caches.current.tokens.insert(identity, for: token.span)
        return try Self.caller(identity, under: profile)
    }

    private static func caller(_ identity: Identity, under profile: ClientProfile) throws(Failure) -> Caller {
        guard identity.caller.scopes != nil ? profile.isNative : identity.profile == profile.name else {
            throw Failure(.invalidToken, "The access token belongs to another API key.")
        }
        return identity.caller
    }

    /// The content of the token if it is cached as verified, else nil.
    private func knownIdentity(of request: Request) throws(Failure) -> Identity? {
        let identity = request.headers.withValue(of: .authorization) { header in
            caches.current.tokens.identity(for: header.extracting(droppingFirst: Self.scheme(of: header)))
        }
        guard let identity else { return nil }
        if identity.caller.scopes != nil, identity.expires <= .recent { return nil }
        try check(identity, .recent)
        return identity
    }

    /// Verifies `token`, which came from the address, and returns its content.
    public func identity(of token: [UInt8], for purpose: Purpose, from address: String) async throws -> Identity {
        do {
            // Every token passes here before it enters the cache, so later calls need no such check.
            try await revocations.requireKnowledge()
            if purpose == .access, let secret = BotToken.secret(in: token) {
                return try await bot(of: secret, from: address)
            }
            do {
                return try verify(token, for: purpose)
            } catch JWTError.unknownKey {
                try await refreshKeysIfAllowed()
                return try verifyOrReportExpiry(of: token, for: purpose)
            }
        } catch let error as JWTError {
            throw Failure(error)
        }
    }

    private func bot(of secret: BearerSecret, from address: String) async throws -> Identity {
        guard let bot = try await bots.bot(of: secret, from: address) else { throw JWTError.malformed }
        let identity = Identity(
            caller: Caller(user: bot.user, session: bot.session, scopes: bot.scopes), profile: bot.profile,
            expires: .now + Self.botLifetime)
        try check(identity, .now)
        return identity
    }

    /// Verifies a token after the keys were fetched because its key was unknown. A retired key is no longer published, and
    /// all of its tokens have expired; a client with such a token gets "expired", and refreshes.
    private func verifyOrReportExpiry(of token: [UInt8], for purpose: Purpose) throws -> Identity {
        do {
            return try verify(token, for: purpose)
        } catch JWTError.unknownKey where verifier(for: purpose).claimsToHaveExpired(token.span, now: .now) {
            throw JWTError.expired
        }
    }

    private func verifier(for purpose: Purpose) -> JWTVerifier {
        verifiers.withLock { purpose == .access ? $0.access : $0.socket }
    }

    private func verify(_ token: [UInt8], for purpose: Purpose) throws -> Identity {
        let claims = try verifier(for: purpose).verify(token.span, now: .now)
        guard
            let user = claims["sub"]?.string.flatMap(UserID.init),
            let session = claims["sid"]?.string.flatMap(SessionID.init),
            let profile = claims["pro"]?.string,
            let expiry = claims["exp"]?.int
        else { throw JWTError.malformed }
        let identity = Identity(
            caller: Caller(user: user, session: session), profile: profile,
            expires: Timestamp(seconds: Int64(expiry)))
        try check(identity, .now)
        return identity
    }

    /// Fetches the keys for a token with an unknown key, unless they were fetched just now. Callers during the fetch wait
    /// for its result.
    private func refreshKeysIfAllowed() async throws {
        let fetching = fetching.withLock { fetching -> Task<Void, any Error>? in
            if let fetching { return fetching }
            let last = verifiers.withLock(\.fetchedAt)
            if let last, Timestamp.now - last < Self.keyInterval { return nil }
            fetching = Task(executorPreference: loop) { [self] in
                defer { self.fetching.withLock { $0 = nil } }
                try await refreshKeys()
            }
            return fetching
        }
        try await fetching?.value
    }

    private static func token(of request: Request) throws(Failure) -> [UInt8] {
        let token = request.headers.withValue(of: .authorization) { header in
            Array(header.withUnsafeBufferPointer { $0.dropFirst(scheme(of: header)) })
        }
        guard let token, !token.isEmpty else { throw Failure(.invalidToken, "An access token is required.") }
        return token
    }

    /// The number of bytes before the token: those of `Bearer`, or none.
    private static func scheme(of header: Span<UInt8>) -> Int {
        let bearer: StaticString = "bearer "
        guard header.count > bearer.utf8CodeUnitCount else { return 0 }
        for index in 0..<bearer.utf8CodeUnitCount where header[index] | 0x20 != bearer.utf8Start[index] | 0x20 {
            return 0
        }
        return bearer.utf8CodeUnitCount
    }

    private func check(_ identity: Identity, _ now: Timestamp) throws(Failure) {
        guard identity.expires > now, !revocations.contains(identity.caller.session) else {
            // A bot cannot refresh its token.
            guard identity.caller.scopes == nil else { throw Failure(.invalidToken, "The token is not valid.") }
            throw Failure(.expiredToken, "The access token has expired.")
        }
    }
}

extension Failure {
    fileprivate init(_ error: JWTError) {
        switch error {
        // Earlier releases also signed with a high s. A client with such a token refreshes it.
        case .expired, .highS: self.init(.expiredToken, "The access token has expired.")
        default: self.init(.invalidToken, "The token is not valid.")
        }
    }
}
