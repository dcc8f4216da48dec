import Crypto
import HTTP
import Synchronization
import Wire

/// OpenID Connect issuers at `/oidc/<name>`, each with keys of its own. Every name is an issuer.
///
/// `GET /oidc/<name>/authorize?…` sends the user back at once with a code, as the person of `POST /oidc/person`
/// (`{"sub":"…","email":"…"}`). With `max_age` in the address the token tells the time of the sign-in. `POST /oidc/<name>/rotate`
/// makes a new key. The client is `maru` with the secret `standins`.
final class OIDCStandin: Sendable {
    static let clientID = "maru"
    static let clientSecret = "standins"

    /// A code that has been handed out.
    private struct Grant: Sendable {
        let issuer: String
        let parameters: [String: String]
        let person: Person
    }

    /// The user of the next sign-in.
    struct Person: Sendable {
        var subject = "person-1"
        var email: String? = "person@example.com"
        var isVerified = true
    }

    /// Changes of the next identity tokens, for tests.
    struct Twist: Sendable {
        var issuer: String?
        var audience: [String]?
        var party: String?
        var nonce: String?
        var expiry: Int64?
        /// When the person signed in.
        var time: Int64?
        /// Signs with a key that the issuer does not publish.
        var isForged = false
    }

    private struct State {
        var keys: [String: [SigningKey]] = [:]
        var grants: [String: Grant] = [:]
        var person = Person()
        var twist = Twist()
        var namesItself = true
        var claims: [String]?
    }

    /// The first keys of all issuers of this process, because to make one takes long.
    private static let firstKeys = Mutex<[String: SigningKey]>([:])

    private let state = Mutex(State())

    func register(in routes: inout StandinRoutes) {
        routes.add(.oidc, .get, "/oidc/{issuer}/.well-known/openid-configuration", configuration)
        routes.add(.oidc, .get, "/oidc/{issuer}/keys", keys)
        routes.add(.oidc, .post, "/oidc/{issuer}/token", token)
        routes.control(.get, "/oidc/{issuer}/authorize") { [self] call in
            let parameters = try call.query()
            let names = [
                "client_id", "redirect_uri", "state", "nonce", "code_challenge", "code_challenge_method", "scope",
                "max_age",
            ]
            let pairs = names.compactMap { name in parameters[name].map { (name, $0) } }
            let address = try authorize(
                at: try call.parameter("issuer"), Self.base(call), Dictionary(uniqueKeysWithValues: pairs))
            var response = Response(Status(302))
            response.headers.append(.location, address)
            return response
        }
        routes.control(.post, "/oidc/{issuer}/rotate") { [self] call in
            rotate(try call.parameter("issuer"))
            return .standin { _ in }
        }
        routes.control(.post, "/oidc/person") { [self] call in
            let json = try await call.json()
            guard let subject = json["sub"]?.string else { throw StandinRefusal.malformed }
            set(
                Person(
                    subject: subject, email: json["email"]?.string,
                    isVerified: json["email_verified"]?.bool ?? true))
            return .standin { _ in }
        }
    }

    func set(_ person: Person) { state.withLock { $0.person = person } }

    func set(_ twist: Twist) { state.withLock { $0.twist = twist } }

    /// Sets whether replies name their issuer (RFC 9207).
    func set(namesItself: Bool) { state.withLock { $0.namesItself = namesItself } }

    /// Sets the claims that the configuration lists; nil for none.
    func set(claims: [String]?) { state.withLock { $0.claims = claims } }

    /// Makes a new key, which signs from now on.
    func rotate(_ issuer: String) {
        state.withLock { state in
            let made = state.keys[issuer, default: []].count + 1
            state.keys[issuer, default: []].append(RSAKey.generate(id: "\(issuer)-\(made)"))
        }
    }

    /// Lets the person sign in: the address to which the issuer sends them back.
    func authorize(at issuer: String, _ base: String, _ parameters: [String: String]) throws -> String {
        guard parameters["client_id"] == Self.clientID, let redirect = parameters["redirect_uri"],
            let back = parameters["state"], parameters["code_challenge_method"] == "S256",
            parameters["scope"]?.contains("openid") == true, parameters["code_challenge"] != nil
        else { throw StandinRefusal.malformed }
        let code = Hexadecimal.encode(SecureRandom.bytes(16).span)
        let namesItself = state.withLock { state in
            state.grants[code] = Grant(issuer: issuer, parameters: parameters, person: state.person)
            return state.namesItself
        }
        let name = namesItself ? "&iss=\(PercentEncoding.strict.encode(base + "/oidc/" + issuer))" : ""
        return "\(redirect)?code=\(code)&state=\(PercentEncoding.strict.encode(back))\(name)"
    }

    private func configuration(_ call: StandinCall) throws -> Response {
        let issuer = Self.base(call) + "/oidc/" + (try call.parameter("issuer"))
        let (namesItself, claims) = state.withLock { ($0.namesItself, $0.claims) }
        return .standin { json in
            json.field("issuer", issuer)
            json.field("authorization_endpoint", issuer + "/authorize")
            json.field("token_endpoint", issuer + "/token")
            json.field("jwks_uri", issuer + "/keys")
            json.field("authorization_response_iss_parameter_supported", namesItself)
            if let claims { json.field("claims_supported", claims) }
        }
    }

    private func keys(_ call: StandinCall) throws -> Response {
        let keys = signingKeys(of: try call.parameter("issuer")).map(\.verificationKey)
        return .json(JSONWriter.bytes { VerificationKeySet(keys).write(to: &$0) })
    }

    private func signingKeys(of issuer: String) -> [SigningKey] {
        if let keys = state.withLock({ $0.keys[issuer] }) { return keys }
        let key = Self.firstKeys.withLock { keys in
            let key = keys[issuer] ?? RSAKey.generate(id: "\(issuer)-1")
            keys[issuer] = key
            return key
        }
        return state.withLock { state in
            let keys = state.keys[issuer] ?? [key]
            state.keys[issuer] = keys
            return keys
        }
    }

    private func token(_ call: StandinCall) async throws -> Response {
        let (name, form) = (try call.parameter("issuer"), try await call.form())
        let credentials = Base64.encode("\(Self.clientID):\(Self.clientSecret)".utf8.span, .standard)
        guard call.request.headers.text(.authorization) == "Basic " + credentials,
            form["grant_type"] == "authorization_code", let code = form["code"],
            // A code works once.
            let grant = state.withLock({ $0.grants.removeValue(forKey: code) }), grant.issuer == name,
            form["redirect_uri"] == grant.parameters["redirect_uri"], let verifier = form["code_verifier"],
            Base64.encode(SHA256.digest(of: verifier.utf8.span).span, .url) == grant.parameters["code_challenge"],
            let key = signingKeys(of: name).last
        else { return .standin(.badRequest) { $0.field("error", "invalid_grant") } }
        let token = try identityToken(grant, key, issuer: Self.base(call) + "/oidc/" + name)
        return .standin { json in
            json.field("access_token", "unused")
            json.field("token_type", "Bearer")
            json.field("id_token", token)
        }
    }

    private func identityToken(_ grant: Grant, _ key: SigningKey, issuer: String) throws -> String {
        let twist = state.withLock(\.twist)
        let key = twist.isForged ? RSAKey.generate(id: key.verificationKey.id) : key
        let now = Timestamp.now.seconds
        let token = JWTSigner(key: key).sign { json in
            json.field("iss", twist.issuer ?? issuer)
            if let audience = twist.audience { json.field("aud", audience) } else { json.field("aud", Self.clientID) }
            if let party = twist.party { json.field("azp", party) }
            json.field("sub", grant.person.subject)
            json.field("iat", now)
            json.field("exp", twist.expiry ?? now + 600)
            let isAsked = grant.parameters["max_age"] != nil
            if let time = twist.time ?? (isAsked ? now : nil) { json.field("auth_time", time) }
            if let nonce = twist.nonce ?? grant.parameters["nonce"] { json.field("nonce", nonce) }
            json.field("name", "사람")
            guard let email = grant.person.email else { return }
            json.field("email", email)
            json.field("email_verified", grant.person.isVerified)
        }
        return String(decoding: token, as: UTF8.self)
    }

    private static func base(_ call: StandinCall) -> String { "http://" + (call.request.headers.text(.host) ?? "") }
}
