import Contract
import HTTP
import ServiceKit
import Wire

/// Asks Kakao for the user of an access token, and checks that the token was made for our app.
struct Kakao: Sendable {
    let http: ProviderHTTP
    /// The base URL, such as `https://kapi.kakao.com`.
    let base: String
    /// The id of our app; nil if Kakao is not set up.
    let appID: Int?
    /// The time limit of a request.
    let deadline: Duration

    /// Bytes. Kakao's tokens are a fiftieth of it.
    static let longestToken = 4096

    /// Returns the user of an access token.
    func identity(of token: String) async throws -> SocialIdentity {
        guard let appID else { throw Failure.unavailable }
        let info = try await get("/v1/user/access_token_info", token)
        // Any app's maker holds tokens of that app's users, so only tokens for our app are accepted.
        guard info["app_id"]?.int == appID, let id = info["id"]?.int else { throw Self.refused }
        let user = try await get("/v2/user/me", token)
        guard user["id"]?.int == id else { throw Self.refused }
        let account = user["kakao_account"]
        let isVerified = account?["is_email_valid"]?.bool == true && account?["is_email_verified"]?.bool == true
        return SocialIdentity(
            source: .provider(.kakao), subject: String(id), verifiedEmail: isVerified ? account?["email"]?.string : nil,
            nickname: account?["profile"]?["nickname"]?.string ?? user["properties"]?["nickname"]?.string)
    }

    private func get(_ path: String, _ token: String) async throws -> JSONValue {
        guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw Self.refused }
        var request = HTTPClient.Request(.get, base + path)
        request.headers.append(.authorization, "Bearer " + token)
        request.deadline = deadline
        let reply: HTTPClient.Reply
        do { reply = try await http.send(request) } catch { throw Failure.unavailable }
        switch reply.status.code {
        case 200:
            guard let json = try? JSONValue(parsing: reply.body) else { throw Failure.unavailable }
            return json
        case 400..<500 where reply.status.code != 429: throw Self.refused
        default: throw Failure.unavailable
        }
    }

    private static let refused = Failure(.unknownAccount, "Kakao does not know this token.")
}
