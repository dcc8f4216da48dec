import Crypto
import HTTP
import Synchronization
import Wire

/// Apple: `GET /apple/mint?sub=…&email=…` makes identity tokens that its published keys verify.
///
/// `iss`, `aud`, `nonce`, `iat`, `exp` (Unix seconds), `email_verified`, `is_private_email` and `kid` may be set, too;
/// `key=unpublished` signs with a key that is not Apple's. `POST /apple/rotate` makes a new key beside the old ones.
final class AppleStandin: Sendable {
    /// The app that tokens are for unless told otherwise.
    static let clientID = "com.example.maru"

    private static let issuer = "https://appleid.apple.com"
    private static let lifetime: Int64 = 600
    private static let publishedKeys = 3

    private struct State {
        var keys: [SigningKey]
        var made = 1
        /// How often somebody asked for the keys.
        var asked = 0
    }

    private let state = Mutex(State(keys: [RSAKey.generate(id: "standin-1")]))
    /// Named as the published one is, so that only its signature tells.
    private let impostor = RSAKey.generate(id: "standin-1")

    func register(in routes: inout StandinRoutes) {
        routes.add(.apple, .get, "/apple/auth/keys", keys)
        routes.control(.get, "/apple/mint", mint)
        routes.control(.post, "/apple/rotate") { [self] _ in
            rotate()
            return .standin { _ in }
        }
    }

    /// How often somebody asked for the keys.
    var asked: Int { state.withLock(\.asked) }

    /// Signs with a new key from now on.
    func rotate() {
        state.withLock { state in
            state.made += 1
            state.keys.append(RSAKey.generate(id: "standin-\(state.made)"))
            state.keys = state.keys.suffix(Self.publishedKeys)
        }
    }

    private func keys(_ call: StandinCall) -> Response {
        let keys = state.withLock { state in
            state.asked += 1
            return state.keys.map(\.verificationKey)
        }
        return .json(JSONWriter.bytes { VerificationKeySet(keys).write(to: &$0) })
    }

    private func mint(_ call: StandinCall) throws -> Response {
        let token = try token(try call.query())
        return Response(type: "text/plain", Array(token.utf8))
    }

    /// An identity token with the claims that `asked` names.
    func token(_ asked: QueryParameters) throws -> String {
        guard let subject = asked["sub"] else { throw StandinRefusal.malformed }
        var key = asked["key"] == "unpublished" ? impostor : state.withLock { $0.keys[$0.keys.count - 1] }
        if let id = asked["kid"] { key = try SigningKey(pem: key.pem, id: id) }
        let now = Timestamp.now.seconds
        let expiry = asked["exp"].flatMap(Int64.init) ?? now + Self.lifetime
        let token = JWTSigner(key: key).sign { json in
            json.field("iss", asked["iss"] ?? Self.issuer)
            json.field("aud", asked["aud"] ?? Self.clientID)
            json.field("sub", subject)
            json.field("iat", asked["iat"].flatMap(Int64.init) ?? now)
            json.field("exp", expiry)
            json.field("auth_time", now)
            json.field("nonce_supported", true)
            if let nonce = asked["nonce"] { json.field("nonce", nonce) }
            guard let email = asked["email"] else { return }
            json.field("email", email)
            // Apple writes these as text in some tokens and as Booleans in others.
            json.field("email_verified", asked["email_verified"] ?? "true")
            json.field("is_private_email", asked["is_private_email"] == "true")
        }
        return String(decoding: token, as: UTF8.self)
    }
}
