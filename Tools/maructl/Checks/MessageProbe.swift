import Crypto
import HTTP
import ServiceKit
import Wire

/// Sends a message as an app does, through the API gateway, and hears it on a socket. It has an account and a workspace of its
/// own, which the first run makes. Its password is derived from the operator's credential.
struct MessageProbe: Sendable {
    let client: OperatorClient

    /// A step that did not succeed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let deadline = Duration.seconds(10)
    private static let mostPolls = 20
    /// A workspace needs an image: one pixel.
    private static let image =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII="

    /// The signed-in app.
    private struct App {
        let token: String
        let channel: (path: String, room: String)
    }

    func run() async throws {
        let app = try await signIn()
        let socket = try await open(app.token)
        let text = "doctor \(Hexadecimal.encode(SecureRandom.bytes(8).span))"
        let sent = try await post(app.channel.path + "/chats", ["content": text], token: app.token)
        guard let seq = sent.int("seq") else { throw Failure(description: "the reply to the message has no seq") }
        defer { withExtendedLifetime(socket) {} }
        try await hear(text, in: app.channel.room, on: socket)
        _ = try await call(.delete, app.channel.path + "/chats/\(seq)", token: app.token, "deleting the message")
        _ = try? await call(.get, "/users/logout", token: app.token, "signing out")
    }

    // MARK: The account

    private var secret: String {
        let key = Array(client.settings.credential.revealed.utf8)
        return Hexadecimal.encode(HMACSHA256(key: key.span).code(for: Array("doctor 1".utf8).span).span)
    }

    private func signIn() async throws -> App {
        let name = "doctor-\(secret.prefix(12))"
        let (email, password) = ("\(name)@maru.invalid", "D!7\(secret.suffix(24))a")
        var account = try? await post("/users/login", ["email": email, "password": password], token: nil)
        if account == nil {
            account = try await post(
                "/users/join", ["email": email, "password": password, "nickname": "doctor"], token: nil)
        }
        guard let token = account?["token"]?.string("accessToken") else {
            throw Failure(description: "the sign-in returned no token")
        }
        let workspace = try await workspace(name, token)
        let channels = try await call(
            .get, "/workspaces/\(workspace)/my-channels", token: token, "reading the channels")
        guard let channel = channels.elements?.first(where: { _ in true })?.string("channel_id") else {
            throw Failure(description: "the workspace has no channel")
        }
        return App(token: token, channel: ("/workspaces/\(workspace)/channels/\(channel)", "channel-\(channel)"))
    }

    private func workspace(_ name: String, _ token: String) async throws -> String {
        let own = try await call(.get, "/workspaces", token: token, "reading the workspaces")
        if let known = own.elements?.first(where: { $0.string("name") == name })?.string("workspace_id") {
            return known
        }
        let boundary = "maructl-\(secret.prefix(16))"
        var body = Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\n\(name)\r\n".utf8)
        body += Array(
            """
            --\(boundary)\r\nContent-Disposition: form-data; name="image"; filename="doctor.png"\r
            Content-Type: image/png\r\n\r\n
            """.utf8)
        body += Base64.decode(Self.image.utf8.span, .standard) ?? []
        body += Array("\r\n--\(boundary)--\r\n".utf8)
        let made = try await call(
            .post, "/workspaces", body: body, type: "multipart/form-data; boundary=\(boundary)", token: token,
            "making a workspace")
        guard let id = made.string("workspace_id") else { throw Failure(description: "the new workspace has no id") }
        return id
    }

    // MARK: The socket

    /// Opens `/me` by polling, and returns the path of its session.
    private func open(_ token: String) async throws -> String {
        let path = "/socket.io/?EIO=4&transport=polling"
        let opening = try await poll(path, "opening a socket")
        guard opening.hasPrefix("0"), let sid = (try? JSONValue(parsing: String(opening.dropFirst())))?.string("sid")
        else {
            throw Failure(description: "opening a socket: the reply is not a known packet")
        }
        let session = "\(path)&sid=\(CallTemplate.encoded(sid))"
        let join =
            "40/me," + String(decoding: JSONWriter.bytes { $0.object { $0.field("token", token) } }, as: UTF8.self)
        var request = HTTPClient.Request(.post, client.settings.gateway + session, body: Array(join.utf8))
        request.deadline = Self.deadline
        request.headers.append(.contentType, "text/plain;charset=UTF-8")
        guard try await client.http.send(request).status.code == 200 else {
            throw Failure(description: "joining /me was refused")
        }
        for _ in 0..<Self.mostPolls {
            let packets = try await poll(session, "joining /me").split(separator: "\u{1E}")
            if packets.contains(where: { $0.hasPrefix("44/me") }) {
                throw Failure(description: "joining /me was refused")
            }
            if packets.contains(where: { $0.hasPrefix("42/me,[\"ready\"") }) { return session }
        }
        throw Failure(description: "joining /me: no first event arrived")
    }

    private func hear(_ text: String, in room: String, on session: String) async throws {
        for _ in 0..<Self.mostPolls {
            for packet in try await poll(session, "hearing the message").split(separator: "\u{1E}")
            where packet.hasPrefix("42/me,") {
                guard let event = try? JSONValue(parsing: String(packet.dropFirst("42/me,".count))),
                    event[0]?.string == "message", event[1]?.string("room") == room
                else { continue }
                if event[1]?["message"]?.string("content") == text { return }
            }
        }
        throw Failure(description: "the message was sent, but did not arrive")
    }

    private func poll(_ path: String, _ step: String) async throws -> String {
        var request = HTTPClient.Request(.get, client.settings.gateway + path)
        request.deadline = Self.deadline
        request.isIdempotent = false
        do {
            let reply = try await client.http.send(request)
            guard reply.status.code == 200 else { throw Failure(description: "\(step): status \(reply.status.code)") }
            return String(decoding: reply.body, as: UTF8.self)
        } catch let failure as HTTPClient.Failure {
            throw Failure(description: "\(step): \(failure.kind)")
        }
    }

    // MARK: Calls

    private func post(_ path: String, _ fields: [String: String], token: String?) async throws -> JSONValue {
        let body = JSONWriter.bytes { json in
            json.object { json in
                for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                    json.key(escaping: name)
                    json.value(value)
                }
            }
        }
        return try await call(.post, path, body: body, type: "application/json", token: token, "POST \(path)")
    }

    private func call(
        _ method: HTTP.Method, _ path: String, body: [UInt8] = [], type: String? = nil, token: String?, _ step: String
    ) async throws -> JSONValue {
        var request = HTTPClient.Request(method, "\(client.settings.gateway)/v1\(path)", body: body)
        request.deadline = Self.deadline
        request.headers.append("SesacKey", client.settings.apiKey)
        if let token { request.headers.append(.authorization, token) }
        if let type { request.headers.append(.contentType, type) }
        let reply: HTTPClient.Reply
        do { reply = try await client.http.send(request) } catch {
            throw Failure(description: "\(step): \(client.settings.gateway) does not answer (\(error.kind))")
        }
        let json = try? JSONValue(parsing: reply.body)
        guard reply.status.code < 300, let json else {
            throw Failure(
                description: "\(step): status \(reply.status.code) \(json?.string("errorCode") ?? "") "
                    + (json?.string("detail") ?? ""))
        }
        return json
    }
}
