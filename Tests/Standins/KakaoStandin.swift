import HTTP
import Synchronization
import Wire

/// Kakao: any token `kakao-<number>[-<email>]` is valid and belongs to the user with that number.
///
/// A token `kakao-unverified-<number>-<email>` belongs to a user with an unverified email.
final class KakaoStandin: Sendable {
    /// The id of our app.
    static let appID = 1000

    /// The admin key of our app.
    static let adminKey = "kakao-admin-key"

    private static let lifetime = 21_599

    private let state = Mutex<[Int]>([])

    /// The users that were unlinked from our app, in order.
    var unlinked: [Int] { state.withLock(\.self) }

    struct User: Sendable {
        let number: Int
        let email: String?
        let isVerified: Bool

        init?(token: String) {
            var rest = token[...]
            guard rest.hasPrefix("kakao-") else { return nil }
            rest = rest.dropFirst("kakao-".count)
            isVerified = !rest.hasPrefix("unverified-")
            if !isVerified { rest = rest.dropFirst("unverified-".count) }
            let parts = rest.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, let number = Int(first), number > 0 else { return nil }
            self.number = number
            email = parts.count > 1 ? String(parts[1]) : nil
        }
    }

    func register(in routes: inout StandinRoutes) {
        routes.add(.kakao, .get, "/kakao/v1/user/access_token_info", tokenInfo)
        routes.add(.kakao, .get, "/kakao/v2/user/me", me)
        routes.add(.kakao, .post, "/kakao/v2/user/me", me)
        routes.add(.kakao, .post, "/kakao/v1/user/unlink", unlink)
    }

    private func tokenInfo(_ call: StandinCall) throws -> Response {
        let user = try user(call)
        return .standin { json in
            json.field("id", user.number)
            json.field("expires_in", Self.lifetime)
            json.field("app_id", Self.appID)
        }
    }

    private func me(_ call: StandinCall) throws -> Response {
        let user = try user(call)
        let nickname = "카카오\(user.number)"
        return .standin { json in
            json.field("id", user.number)
            json.field("connected_at", "2022-04-11T01:45:28Z")
            json.object("properties") { $0.field("nickname", nickname) }
            json.object("kakao_account") { json in
                json.field("profile_nickname_needs_agreement", false)
                json.object("profile") { json in
                    json.field("nickname", nickname)
                    json.field("is_default_image", true)
                }
                json.field("has_email", user.email != nil)
                guard let email = user.email else { return }
                json.field("email_needs_agreement", false)
                json.field("is_email_valid", true)
                json.field("is_email_verified", user.isVerified)
                json.field("email", email)
            }
        }
    }

    /// Unlinks the user of a token, or with the admin key any user.
    private func unlink(_ call: StandinCall) async throws -> Response {
        let number: Int
        if call.credential("KakaoAK") == Self.adminKey {
            guard let target = try await call.form()["target_id"].flatMap({ Int($0) }) else {
                throw StandinRefusal.malformed
            }
            number = target
        } else {
            number = try user(call).number
        }
        state.withLock { $0.append(number) }
        return .standin { $0.field("id", number) }
    }

    private func user(_ call: StandinCall) throws -> User {
        guard let user = call.credential("Bearer").flatMap(User.init) else {
            throw StandinRefusal(
                response: .standin(.unauthorized) { json in
                    json.field("msg", "this access token does not exist")
                    json.field("code", -401)
                })
        }
        return user
    }
}
