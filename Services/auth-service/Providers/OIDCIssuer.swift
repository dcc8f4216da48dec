import Contract
import Crypto
import EventLoop
import HTTP
import ServiceKit
import Synchronization
import Wire

/// One OpenID Connect issuer: its published configuration, its keys, and the exchange of codes.
final class OIDCIssuer: Sendable {
    /// Our registration at the issuer.
    struct Registration: Sendable {
        /// In our routes and the table, such as `company`.
        let name: String
        /// For the button that begins a sign-in.
        let title: String
        /// The issuer's address, exactly as it stands in `iss`.
        let issuer: String
        let clientID: String
        /// Nil for a public client.
        let clientSecret: String?
        /// The addresses of our apps that the issuer may send users back to.
        let redirects: Set<String>
    }

    /// The published configuration of the issuer (OpenID Connect Discovery).
    struct Configuration: Sendable {
        let authorizationEndpoint: String
        let tokenEndpoint: String
        let keysURL: String
        /// Whether it names itself in the address of each reply (RFC 9207).
        let namesItself: Bool
        /// Whether its tokens can tell when the person signed in there.
        let tellsTimes: Bool
    }

    let registration: Registration
    private let loop: EventLoop
    private let http: ProviderHTTP
    private let keyInterval: Duration
    private let deadline: Duration
    private let known = Mutex<Known?>(nil)

    private struct Known {
        let configuration: Configuration
        let keys: ProviderKeys
        let fetchedAt: Timestamp
    }

    private static let lifetime = Duration.seconds(3600)
    private static let leeway = Duration.seconds(60)
    private static let longestSubject = 255

    /// - Parameters:
    ///   - keyInterval: the shortest time between two fetches of the keys while keys are cached.
    ///   - deadline: the time limit of a request.
    init(
        _ registration: Registration, on loop: EventLoop, http: ProviderHTTP, keyInterval: Duration, deadline: Duration
    ) {
        self.registration = registration
        self.loop = loop
        self.http = http
        self.keyInterval = keyInterval
        self.deadline = deadline
    }

    /// The issuer's configuration, at most an hour old. While the issuer does not answer, an older one is used.
    func configuration() async throws -> Configuration { try await current().configuration }

    private func current() async throws -> Known {
        let cached = known.withLock(\.self)
        if let cached, Timestamp.now - cached.fetchedAt < Self.lifetime { return cached }
        guard let fetched = await discover() else {
            guard let cached else { throw Failure.unavailable }
            return cached
        }
        // The keys stay cached unless they have moved.
        let keys = cached?.configuration.keysURL == fetched.keysURL ? cached?.keys : nil
        let fresh = Known(
            configuration: fetched,
            keys: keys
                ?? ProviderKeys(
                    on: loop, http: http, url: fetched.keysURL, interval: keyInterval, deadline: deadline),
            fetchedAt: .now)
        known.withLock { $0 = fresh }
        return fresh
    }

    private func discover() async -> Configuration? {
        var request = HTTPClient.Request(
            .get, registration.issuer.withoutLastSlash + "/.well-known/openid-configuration")
        request.deadline = deadline
        guard let reply = try? await http.send(request), reply.status.code == 200,
            let json = try? JSONValue(parsing: reply.body)
        else { return nil }
        // A configuration of another issuer must not lead codes there.
        guard json["issuer"]?.string == registration.issuer else { return nil }
        return Configuration(json, isSecure: registration.isSecure)
    }

    // MARK: The code flow

    /// The address to which a user is sent.
    func address(of attempt: OIDCAttempt) async throws -> String {
        let endpoint = try await configuration().authorizationEndpoint
        let parameters = [
            ("response_type", "code"), ("client_id", registration.clientID), ("redirect_uri", attempt.redirect),
            ("scope", "openid email profile"), ("state", attempt.state), ("nonce", attempt.nonce),
            ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
        ]
        return endpoint + (endpoint.contains("?") ? "&" : "?") + Self.form(parameters)
    }

    /// Exchanges a code for the user that it stands for.
    ///
    /// - Parameters:
    ///   - nonceHash: the hash of the nonce that the identity token must have.
    ///   - moment: the person must have signed in at the issuer since then; nil if they may have before.
    /// - Throws: E03 for a code or token that is not valid, E99 if the issuer does not answer.
    func identity(
        of code: String, verifier: String, redirect: String, nonceHash: [UInt8], since moment: Timestamp?
    ) async throws -> SocialIdentity {
        let known = try await current()
        let token = try await exchange(
            code, verifier: verifier, redirect: redirect, at: known.configuration.tokenEndpoint)
        let claims = try await claims(of: Array(token.utf8), known.keys)
        guard let nonce = claims["nonce"]?.string,
            ConstantTime.areEqual(SHA256.digest(of: nonce.utf8.span).span, nonceHash.span),
            let subject = claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= Self.longestSubject
        else { throw Self.refused }
        if let moment { try requireSignIn(since: moment, claims, known.configuration) }
        // A token for several audiences must say that we may use it.
        let isForOthers = (claims["aud"]?.elements.map(Array.init)?.count ?? 1) > 1
        let party = claims["azp"]?.string
        guard party == registration.clientID || (party == nil && !isForOthers) else { throw Self.refused }
        let isVerified = claims["email_verified"]?.bool ?? (claims["email_verified"]?.string == "true")
        return SocialIdentity(
            source: .issuer(registration.issuer), subject: subject,
            verifiedEmail: isVerified ? claims["email"]?.string : nil,
            nickname: claims["nickname"]?.string ?? claims["name"]?.string)
    }

    /// Throws unless the person has signed in at the issuer since a moment. An issuer that knows the person sends them back at once, and
    /// somebody else may sit there by now. Without `max_age` in the address of the sign-in a token may leave the time out, so a token
    /// without it proves nothing, unless the issuer says of itself that none of its tokens has it.
    private func requireSignIn(
        since moment: Timestamp, _ claims: JSONValue, _ configuration: Configuration
    ) throws(Failure) {
        guard let time = claims["auth_time"]?.int else {
            if configuration.tellsTimes { throw Self.isNotNew }
            return
        }
        guard Timestamp(seconds: Int64(time)) + Self.leeway >= moment else { throw Self.isNotNew }
    }

    private func exchange(
        _ code: String, verifier: String, redirect: String, at endpoint: String
    ) async throws -> String {
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
            ("code_verifier", verifier),
        ]
        if registration.clientSecret == nil { form.append(("client_id", registration.clientID)) }
        var request = HTTPClient.Request(.post, endpoint, body: Array(Self.form(form).utf8))
        request.headers.append(.contentType, "application/x-www-form-urlencoded")
        if let secret = registration.clientSecret {
            let pair =
                PercentEncoding.strict.encode(registration.clientID) + ":" + PercentEncoding.strict.encode(secret)
            request.headers.append(.authorization, "Basic " + Base64.encode(pair.utf8.span, .standard))
        }
        request.deadline = deadline
        guard let reply = try? await http.send(request) else { throw Failure.unavailable }
        switch reply.status.code {
        case 200:
            guard let token = (try? JSONValue(parsing: reply.body))?["id_token"]?.string else {
                throw Failure.unavailable
            }
            return token
        case 400..<500 where reply.status.code != 429: throw Self.refused
        default: throw Failure.unavailable
        }
    }

    private func claims(of token: [UInt8], _ keys: ProviderKeys) async throws -> JSONValue {
        try await keys.claims(or: Self.refused) { keys throws(JWTError) in
            let verifier = JWTVerifier(
                keys: keys, issuer: registration.issuer, audiences: [registration.clientID], type: .generic,
                leeway: Self.leeway)
            return try verifier.verify(token.span, now: .now)
        }
    }

    private static func form(_ parameters: [(String, String)]) -> String {
        parameters.map { "\($0.0)=\(PercentEncoding.strict.encode($0.1))" }.joined(separator: "&")
    }

    static let refused = Failure(.unknownAccount, "The issuer does not confirm this sign-in.")
    private static let isNotNew = Failure(
        .unknownAccount, "The issuer does not confirm that you have just signed in there.")
}
