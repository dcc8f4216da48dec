import Crypto
import HTTP
import ServiceKit
import Wire

/// Revokes grants at Apple: exchanges the authorization code of the confirmation for a refresh token, and revokes that.
struct AppleGrants: Sendable {
    let http: ProviderHTTP
    /// The base URL, such as `https://appleid.apple.com`.
    let base: String
    /// The key that signs our requests; nil if none is set up.
    let key: SigningKey?
    /// The id of our team at Apple.
    let team: String
    /// The time limit of a request.
    let deadline: Duration

    private static let issuer = "https://appleid.apple.com"
    private static let lifetime: Int64 = 300

    func revoke(_ grant: Erasures.Grant) async -> ProviderGrants.Outcome {
        guard let key, let code = grant.token, let client = grant.client else { return .impossible }
        let own = [("client_id", client), ("client_secret", secret(for: client, key))]
        let exchange = await post("/auth/token", own + [("grant_type", "authorization_code"), ("code", code)])
        guard let exchange else { return .later }
        // A code works once and for five minutes.
        guard exchange.status.code == 200, let json = try? JSONValue(parsing: exchange.body),
            let token = json["refresh_token"]?.string
        else { return exchange.status.code >= 500 ? .later : .impossible }
        // The code is used up, so this is the only chance.
        let revocation = await post(
            "/auth/revoke", own + [("token", token), ("token_type_hint", "refresh_token")])
        return revocation?.status.code == 200 ? .revoked : .impossible
    }

    private func secret(for client: String, _ key: SigningKey) -> String {
        let now = Timestamp.now.seconds
        let token = JWTSigner(key: key).sign { json in
            json.field("iss", team)
            json.field("iat", now)
            json.field("exp", now + Self.lifetime)
            json.field("aud", Self.issuer)
            json.field("sub", client)
        }
        return String(decoding: token, as: UTF8.self)
    }

    private func post(_ path: String, _ form: [(String, String)]) async -> HTTPClient.Reply? {
        let body = form.map { "\($0.0)=\(PercentEncoding.strict.encode($0.1))" }.joined(separator: "&")
        var request = HTTPClient.Request(.post, base + path, body: Array(body.utf8))
        request.headers.append(.contentType, "application/x-www-form-urlencoded")
        request.deadline = deadline
        return try? await http.send(request)
    }
}
