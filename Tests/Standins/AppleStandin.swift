import Crypto
import HTTP
import Synchronization
import Wire

/// Apple: `GET /apple/mint?sub=…&email=…` makes identity tokens that its published keys verify.
///
/// The query may also set `iss`, `aud`, `nonce`, `iat`, `exp` (Unix seconds), `email_verified`, `is_private_email` and
/// `kid`. `key=unpublished` signs with a key that Apple does not publish. `POST /apple/rotate` adds a new key to the
/// old ones.
final class AppleStandin: Sendable {
    /// The default audience of tokens.
    static let clientID = "com.example.maru"

    private static let issuer = "https://appleid.apple.com"
    private static let lifetime: Int64 = 600
    private static let publishedKeys = 3

    private struct State {
        var keys: [SigningKey]
        var made = 1
        /// The number of fetches of the keys.
        var fetches = 0
        /// The refresh tokens that were revoked.
        var revoked: [String] = []
    }

    /// All stand-ins of a process begin with the same key, because to make one takes long.
    private static let firstKey = RSAKey.generate(id: "standin-1")
    /// It has the published key's id, so that only its signature differs.
    private static let impostor = RSAKey.generate(id: "standin-1")

    private let state = Mutex(State(keys: [firstKey]))

    func register(in routes: inout StandinRoutes) {
        routes.add(.apple, .get, "/apple/auth/keys", keys)
        routes.add(.apple, .post, "/apple/auth/token", exchange)
        routes.add(.apple, .post, "/apple/auth/revoke", revoke)
        routes.control(.get, "/apple/mint", mint)
        routes.control(.post, "/apple/rotate") { [self] _ in
            rotate()
            return .standin { _ in }
        }
    }

    /// The number of fetches of the keys.
    var fetches: Int { state.withLock(\.fetches) }

    /// The refresh tokens that were revoked, in order.
    var revoked: [String] { state.withLock(\.revoked) }

    /// Any code `code-<text>` is good for the refresh token `refresh-<text>`.
    private func exchange(_ call: StandinCall) async throws -> Response {
        let form = try await call.form()
        guard form["client_secret"]?.split(separator: ".").count == 3, form["client_id"] == Self.clientID,
            let code = form["code"], code.hasPrefix("code-")
        else { return .standin(.badRequest) { $0.field("error", "invalid_grant") } }
        return .standin { $0.field("refresh_token", "refresh-" + code.dropFirst("code-".count)) }
    }

    private func revoke(_ call: StandinCall) async throws -> Response {
        let form = try await call.form()
        guard let token = form["token"], form["client_secret"] != nil else { throw StandinRefusal.malformed }
        state.withLock { $0.revoked.append(token) }
        return Response(.ok)
    }

    /// Makes a new key, which signs from now on.
    func rotate() {
        state.withLock { state in
            state.made += 1
            state.keys.append(RSAKey.generate(id: "standin-\(state.made)"))
            state.keys = state.keys.suffix(Self.publishedKeys)
        }
    }

    private func keys(_ call: StandinCall) -> Response {
        let keys = state.withLock { state in
            state.fetches += 1
            return state.keys.map(\.verificationKey)
        }
        return .json(JSONWriter.bytes { VerificationKeySet(keys).write(to: &$0) })
    }

    private func mint(_ call: StandinCall) throws -> Response {
        let token = try token(try call.query())
        return Response(type: "text/plain", Array(token.utf8))
    }

    /// Makes an identity token with the claims of a query.
    func token(_ query: QueryParameters) throws -> String {
        guard let subject = query["sub"] else { throw StandinRefusal.malformed }
        var key = query["key"] == "unpublished" ? Self.impostor : state.withLock { $0.keys[$0.keys.count - 1] }
        if let id = query["kid"] { key = try SigningKey(pem: key.pem, id: id) }
        let now = Timestamp.now.seconds
        let expiry = query["exp"].flatMap(Int64.init) ?? now + Self.lifetime
        let token = JWTSigner(key: key).sign { json in
            json.field("iss", query["iss"] ?? Self.issuer)
            json.field("aud", query["aud"] ?? Self.clientID)
            json.field("sub", subject)
            json.field("iat", query["iat"].flatMap(Int64.init) ?? now)
            json.field("exp", expiry)
            json.field("auth_time", now)
            // Every sign-in has its own code, so that no two tokens are equal.
            json.field("c_hash", Base64.encode(SecureRandom.bytes(16).span, .url))
            json.field("nonce_supported", true)
            if let nonce = query["nonce"] { json.field("nonce", nonce) }
            guard let email = query["email"] else { return }
            json.field("email", email)
            // Apple writes this as text in some tokens and as a Boolean in others.
            json.field("email_verified", query["email_verified"] ?? "true")
            json.field("is_private_email", query["is_private_email"] == "true")
        }
        return String(decoding: token, as: UTF8.self)
    }
}
