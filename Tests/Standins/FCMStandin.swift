import Crypto
import EventLoop
import HTTP
import Synchronization
import Wire

/// FCM and its token endpoint: accepts pushes, lists them (`GET /fcm/sent`) and fails as an `FCMScript` says.
final class FCMStandin: Sendable {
    let account: ServiceAccountFile

    fileprivate struct State {
        var accessTokens: Set<String> = []
        /// The messages as they were sent, oldest first.
        var sent: [[UInt8]] = []
        var count = 0
        var scripts: [FCMScript] = []
    }

    private let state = Mutex(State())

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let largestPayload = 4096
    private static let remembered = 100_000

    init(account: ServiceAccountFile = ServiceAccountFile()) { self.account = account }

    func register(in routes: inout StandinRoutes) {
        routes.add(.fcm, .post, "/fcm/token", token)
        routes.add(.fcm, .post, "/fcm/v1/projects/{project}/messages:send", send)
        routes.control(.get, "/fcm/sent", sent)
        routes.control(.delete, "/fcm/sent", clear)
        routes.control(.post, "/fcm/script", script)
    }

    /// The devices of the sent messages, oldest first.
    var devices: [String] {
        state.withLock { state in
            state.sent.compactMap { (try? JSONValue(parsing: $0))?["token"]?.string }
        }
    }

    private func token(_ call: StandinCall) async throws -> Response {
        let form = try await call.form()
        guard form["grant_type"] == Self.grant, let assertion = form["assertion"], isOurs(assertion) else {
            return .standin(.badRequest) { json in
                json.field("error", "invalid_grant")
                json.field("error_description", "Invalid JWT.")
            }
        }
        let token = Base64.encode(SecureRandom.bytes(24).span, .url)
        state.withLock { _ = $0.accessTokens.insert(token) }
        return .standin { json in
            json.field("access_token", token)
            json.field("expires_in", 3599)
            json.field("token_type", "Bearer")
        }
    }

    /// Whether the service account signed the assertion for sending, for at most an hour.
    private func isOurs(_ assertion: String) -> Bool {
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64.decode(parts[2].utf8.span, .url),
            let claims = Base64.decode(parts[1].utf8.span, .url).flatMap({ try? JSONValue(parsing: $0) }),
            let issued = claims["iat"]?.int, let expires = claims["exp"]?.int
        else { return false }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        return account.key.verificationKey.isValid(signature.span, for: signed.span)
            && claims["iss"]?.string == ServiceAccountFile.email && claims["scope"]?.string == Self.scope
            && claims["aud"]?.string?.isEmpty == false && expires - issued <= 3600
            && expires > Timestamp.now.seconds
    }

    private func send(_ call: StandinCall) async throws -> Response {
        guard let credential = call.credential("Bearer"), state.withLock({ $0.accessTokens.contains(credential) })
        else { return FCMScript.error(401, "UNAUTHENTICATED") }
        let body = try await call.body()
        guard body.count <= Self.largestPayload, let message = (try? JSONValue(parsing: body))?["message"],
            let device = message["token"]?.string, !device.isEmpty,
            message["data"]?.members?.allSatisfy({ $0.value.string != nil }) ?? true
        else { return FCMScript.error(400, "INVALID_ARGUMENT", code: "INVALID_ARGUMENT") }
        let script = state.withLock { $0.script(for: device) }
        if let delay = script?.delay, delay > .zero { try await EventLoop.current?.sleep(for: delay) }
        if let failure = script?.response { return failure }
        let number = state.withLock { state in
            state.sent.append(message.text)
            if state.sent.count > Self.remembered { state.sent.removeFirst(Self.remembered / 10) }
            state.count += 1
            return state.count
        }
        let project = try call.parameter("project")
        return .standin { $0.field("name", "projects/\(project)/messages/\(number)") }
    }

    /// The messages as they were sent.
    private func sent(_ call: StandinCall) -> Response {
        let sent = state.withLock { $0.sent }
        return .json(JSONWriter.bytes { json in json.array { json in for message in sent { json.raw(message) } } })
    }

    private func clear(_ call: StandinCall) -> Response {
        state.withLock { state in
            state.sent = []
            state.scripts = []
        }
        return .standin { _ in }
    }

    private func script(_ call: StandinCall) async throws -> Response {
        guard let script = FCMScript(try await call.json()) else { throw StandinRefusal.malformed }
        state.withLock { $0.scripts.append(script) }
        return .standin { _ in }
    }
}

extension FCMStandin.State {
    /// Returns the oldest script for the device and uses up one of its calls.
    fileprivate mutating func script(for device: String) -> FCMScript? {
        scripts.removeAll { $0.times <= 0 }
        guard let index = scripts.firstIndex(where: { $0.token == nil || $0.token == device }) else { return nil }
        scripts[index].times -= 1
        return scripts[index]
    }
}
