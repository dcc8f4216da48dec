import Crypto
import EventLoop
import HTTP
import ServiceKit
import Synchronization
import Wire

/// The access token for FCM: asked for with a signed assertion (RFC 7523), and kept until shortly before it expires.
final class FCMAccess: Sendable {
    private struct Token {
        let text: String
        let expires: Timestamp
    }

    private struct State {
        var token: Token?
        /// Fetches the next token for all tasks that need it.
        var fetching: Task<Token, any Error>?
    }

    private let account: ServiceAccount
    private let loop: EventLoop
    private let http: ProviderHTTP
    private let url: String
    private let deadline: Duration
    private let state = Mutex(State())

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let lifetime = Duration.seconds(3600)
    private static let margin = Duration.seconds(60)

    /// - Parameters:
    ///   - loop: fetches the tokens.
    ///   - deadline: how long a request for a token may take.
    init(account: ServiceAccount, on loop: EventLoop, http: ProviderHTTP, url: String?, deadline: Duration) {
        self.account = account
        self.loop = loop
        self.http = http
        self.url = url ?? account.tokenURL
        self.deadline = deadline
    }

    /// The current token, or a new one.
    func current() async throws -> String {
        if let known = state.withLock(\.token), known.expires - Self.margin > .now { return known.text }
        return try await next().value.text
    }

    private func next() -> Task<Token, any Error> {
        state.withLock { state in
            if let fetching = state.fetching { return fetching }
            let fetching = Task(executorPreference: loop) { [self] in
                let fresh = try? await fetch()
                self.state.withLock { state in
                    state.fetching = nil
                    state.token = fresh ?? state.token
                }
                guard let fresh else { throw FCMRefusal() }
                return fresh
            }
            state.fetching = fetching
            return fetching
        }
    }

    /// The provider does not accept `text` any more.
    func forget(_ text: String) {
        state.withLock { if $0.token?.text == text { $0.token = nil } }
    }

    private func fetch() async throws -> Token {
        let now = Timestamp.now
        let assertion = JWTSigner(key: account.key).sign { json in
            json.field("iss", account.email)
            json.field("scope", Self.scope)
            json.field("aud", url)
            json.field("iat", now.seconds)
            json.field("exp", (now + Self.lifetime).seconds)
        }
        var form = QueryParameters()
        form.append("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
        form.append("assertion", String(decoding: assertion, as: UTF8.self))
        var request = HTTPClient.Request(.post, url, body: Array(form.encoded(as: .form).utf8))
        request.deadline = deadline
        request.headers.append(.contentType, "application/x-www-form-urlencoded")
        let reply = try await http.send(request)
        guard reply.status.code == 200, let json = try? JSONValue(parsing: reply.body),
            let text = json["access_token"]?.string, let seconds = json["expires_in"]?.int
        else { throw FCMRefusal() }
        return Token(text: text, expires: now + .seconds(min(max(0, seconds), 86_400)))
    }
}

/// The provider does not accept our identity.
struct FCMRefusal: Error {}
