internal import Contract
internal import Crypto
public import EventLoop
public import HTTP
internal import Synchronization
public import Wire

/// Tells who calls: verifies tokens offline with the authority's published keys, and drops those of revoked sessions.
public final class Authenticator: Sendable {
    /// What a token is for; one made for another purpose opens nothing here.
    public enum Purpose: Sendable, CaseIterable {
        case access, socket

        /// The `typ` of the token's header.
        public var type: String {
            switch self {
            case .access: "at+jwt"
            case .socket: "socket+jwt"
            }
        }

        /// The `aud` of its claims.
        public var audience: String {
            switch self {
            case .access: "maru"
            case .socket: "maru-socket"
            }
        }
    }

    /// What a token that holds says.
    public struct Identity: Sendable, Equatable {
        public let caller: Caller
        /// The name of the client profile that the session was opened under.
        public let profile: String
        public let expires: Timestamp
    }

    /// The `iss` of all tokens.
    public static let issuer = "maru"

    private let authority: any TokenAuthority
    private let revocations: Revocations
    private let verifiers: Mutex<Verifiers>
    /// Keys on their way.
    private let fetching = Mutex<Task<Void, any Error>?>(nil)
    private let caches: LoopLocal<Cache>

    private static let cacheCapacity = 4096
    /// Keys are asked for again so often at most when a token names an unknown one.
    private static let keyInterval = Duration.seconds(1)

    private static let keyRefresh = Duration.seconds(60)

    /// - Note: Confined to its loop, as every value of a `LoopLocal`.
    private final class Cache {
        /// Looking a token up or putting it in calls nobody who could come back here.
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
                    type: .named(purpose.type))
            }
            access = verifier(.access)
            socket = verifier(.socket)
        }
    }

    /// Knows no keys before `refreshKeys`.
    public init(authority: any TokenAuthority, revocations: Revocations, on group: EventLoopGroup) {
        self.authority = authority
        self.revocations = revocations
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

    /// Fetches keys until cancelled, so that a rotation is known before its first token comes.
    func followKeys() async throws {
        while !Task.isCancelled {
            try await refreshKeys()
            try await EventLoop.current?.sleep(for: Self.keyRefresh)
        }
    }

    /// Throws while no keys are known.
    func requireKeys() async throws {
        if verifiers.withLock({ $0.isEmpty }) { try await refreshKeys() }
    }

    /// Who sends `request`, by its access token: raw, or behind `Bearer`.
    public func caller(of request: Request) async throws -> Caller {
        if let known = try knownCaller(of: request) { return known }
        let token = try Self.token(of: request)
        let identity = try await identity(of: token, for: .access)
        caches.current.tokens.insert(
            TokenCache.Entry(caller: identity.caller, expires: identity.expires), for: token.span)
        return identity.caller
    }

    /// The same where the token was verified before, nil where it was not.
    private func knownCaller(of request: Request) throws(Failure) -> Caller? {
        let entry = request.headers.withValue(of: .authorization) { header in
            caches.current.tokens.entry(for: header.extracting(droppingFirst: Self.scheme(of: header)))
        }
        guard let entry else { return nil }
        return try check(entry.caller, expires: entry.expires, .recent)
    }

    /// What `token` says, if it holds.
    public func identity(of token: [UInt8], for purpose: Purpose) async throws -> Identity {
        do {
            // Tokens enter the cache through here, so that this once is enough for all calls.
            try await revocations.requireKnowledge()
            do {
                return try verify(token, for: purpose)
            } catch JWTError.unknownKey {
                try await refreshKeysIfAllowed()
                return try verifyOrTellAge(of: token, for: purpose)
            }
        } catch let error as JWTError {
            throw Failure(error)
        }
    }

    /// A key is forgotten when all of its tokens have expired: of one that says so the client hears that, and refreshes.
    private func verifyOrTellAge(of token: [UInt8], for purpose: Purpose) throws -> Identity {
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
        let expires = Timestamp(seconds: Int64(expiry))
        let caller = try check(Caller(user: user, session: session), expires: expires, .now)
        return Identity(caller: caller, profile: profile, expires: expires)
    }

    /// Fetches keys because a token names one that is not known, unless that was just done; who comes while they are on
    /// their way waits for them.
    private func refreshKeysIfAllowed() async throws {
        let fetching = fetching.withLock { fetching -> Task<Void, any Error>? in
            if let fetching { return fetching }
            let last = verifiers.withLock(\.fetchedAt)
            if let last, Timestamp.now - last < Self.keyInterval { return nil }
            fetching = Task(executorPreference: EventLoop.current) { [self] in
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

    /// How many bytes stand before the token: those of `Bearer`, or none.
    private static func scheme(of header: Span<UInt8>) -> Int {
        let bearer: StaticString = "bearer "
        guard header.count > bearer.utf8CodeUnitCount else { return 0 }
        for index in 0..<bearer.utf8CodeUnitCount where header[index] | 0x20 != bearer.utf8Start[index] | 0x20 {
            return 0
        }
        return bearer.utf8CodeUnitCount
    }

    private func check(_ caller: Caller, expires: Timestamp, _ now: Timestamp) throws(Failure) -> Caller {
        guard expires > now, !revocations.contains(caller.session) else {
            throw Failure(.expiredToken, "The access token has expired.")
        }
        return caller
    }
}

extension Failure {
    fileprivate init(_ error: JWTError) {
        switch error {
        case .expired: self.init(.expiredToken, "The access token has expired.")
        default: self.init(.invalidToken, "The token is not valid.")
        }
    }
}
