import HTTP
import ServiceKit

/// Unlinks users from our app at Kakao: with the user's own token, or with the app's admin key.
struct KakaoGrants: Sendable {
    let http: ProviderHTTP
    /// The base URL, such as `https://kapi.kakao.com`.
    let base: String
    /// The admin key of our app; empty for none.
    let adminKey: String
    /// The time limit of a request.
    let deadline: Duration

    func unlink(_ grant: Erasures.Grant) async -> ProviderGrants.Outcome {
        if let token = grant.token {
            let outcome = await send("Bearer " + token, "")
            if outcome != .impossible || adminKey.isEmpty { return outcome }
        }
        guard !adminKey.isEmpty else { return .impossible }
        return await send("KakaoAK " + adminKey, "target_id_type=user_id&target_id=\(grant.subject)")
    }

    private func send(_ authorization: String, _ form: String) async -> ProviderGrants.Outcome {
        guard authorization.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return .impossible }
        var request = HTTPClient.Request(.post, base + "/v1/user/unlink", body: Array(form.utf8))
        request.headers.append(.authorization, authorization)
        request.headers.append(.contentType, "application/x-www-form-urlencoded;charset=utf-8")
        request.deadline = deadline
        guard let reply = try? await http.send(request) else { return .later }
        switch reply.status.code {
        case 200: return .revoked
        // 400 also says that the user is not linked any more.
        case 400..<500 where reply.status.code != 429: return .impossible
        default: return .later
        }
    }
}
