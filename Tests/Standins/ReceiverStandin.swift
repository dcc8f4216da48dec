import Crypto
import EventLoop
import HTTP
import Synchronization
import Wire

/// Receivers of outgoing webhooks: `POST /receivers/{name}` checks the signatures as standardwebhooks.com says, and keeps the calls.
///
/// `PUT /receivers/{name} {secret?, statuses?, delayMs?, location?}` sets the secret that it knows, and the replies to the next calls;
/// without any it replies with 204. `GET /receivers/{name}` lists the calls, oldest first.
final class ReceiverStandin: Sendable {
    /// A call as it arrived.
    struct Received: Sendable {
        let id: String
        let body: [UInt8]
        /// The signatures that are right: `1`, or `0` for a wrong one, in their order.
        let signatures: String
        let status: Int
    }

    private struct Receiver {
        /// Of the newest and of earlier calls of `PUT`.
        var secret = ""
        var statuses: [Int] = []
        var delay = Duration.zero
        var location: String?
        /// Seconds that a refusal asks to wait.
        var retryAfter: Int?
        /// Calls that wait for their reply.
        var waiting = 0
        var received: [Received] = []
    }

    private let receivers = Mutex([String: Receiver]())

    private static let tolerance: Int64 = 300

    func register(in routes: inout StandinRoutes) {
        routes.control(.put, "/receivers/{name}", set)
        routes.control(.get, "/receivers/{name}", list)
        routes.control(.post, "/receivers/{name}", receive)
    }

    /// The calls that a receiver has taken or refused, oldest first.
    func received(_ name: String) -> [Received] { receivers.withLock { $0[name]?.received ?? [] } }

    /// The calls at a receiver that wait for their reply.
    func waiting(at name: String) -> Int { receivers.withLock { $0[name]?.waiting ?? 0 } }

    /// Sets the replies of a receiver to its next calls.
    func set(
        _ name: String, secret: String? = nil, statuses: [Int] = [], delay: Duration = .zero, location: String? = nil,
        retryAfter: Int? = nil
    ) {
        receivers.withLock { receivers in
            if let secret { receivers[name, default: Receiver()].secret = secret }
            receivers[name, default: Receiver()].statuses = statuses
            receivers[name]?.delay = delay
            receivers[name]?.location = location
            receivers[name]?.retryAfter = retryAfter
        }
    }

    private func set(_ call: StandinCall) async throws -> Response {
        let json = try await call.json()
        set(
            try call.parameter("name"), secret: json["secret"]?.string,
            statuses: json["statuses"]?.elements?.compactMap(\.int) ?? [],
            delay: .milliseconds(json["delayMs"]?.int ?? 0), location: json["location"]?.string)
        return .standin { _ in }
    }

    private func list(_ call: StandinCall) throws -> Response {
        let received = received(try call.parameter("name"))
        return .json(
            JSONWriter.bytes { json in
                json.array { json in
                    for each in received {
                        json.object { json in
                            json.field("id", each.id)
                            json.field("signatures", each.signatures)
                            json.field("status", each.status)
                            json.key("body")
                            json.raw(each.body)
                        }
                    }
                }
            })
    }

    private func receive(_ call: StandinCall) async throws -> Response {
        let name = try call.parameter("name")
        let body = try await call.body()
        let (secret, delay) = receivers.withLock { receivers in
            receivers[name, default: Receiver()].waiting += 1
            return (receivers[name]?.secret ?? "", receivers[name]?.delay ?? .zero)
        }
        defer { receivers.withLock { $0[name]?.waiting -= 1 } }
        if delay > .zero { try await EventLoop.current?.sleep(for: delay) }
        let id = call.request.headers.text("webhook-id") ?? ""
        let time = call.request.headers.text("webhook-timestamp").flatMap { Int64($0) } ?? 0
        let signatures = call.request.headers.text("webhook-signature") ?? ""
        let right = signatures.split(separator: " ").map { signature in
            Self.isRight(signature, "\(id).\(time).", body, secret) ? "1" : "0"
        }
        let isFresh = abs(Timestamp.now.seconds - time) <= Self.tolerance
        let isSigned = isFresh && !id.isEmpty && right.contains("1")
        let (status, location, retryAfter) = receivers.withLock { receivers -> (Int, String?, Int?) in
            var receiver = receivers[name] ?? Receiver()
            let planned = receiver.statuses.isEmpty ? 204 : receiver.statuses.removeFirst()
            let status = secret.isEmpty || isSigned ? planned : 401
            receiver.received.append(
                Received(id: id, body: body, signatures: right.joined(), status: status))
            receivers[name] = receiver
            return (status, receiver.location, receiver.retryAfter)
        }
        var response = Response(Status(UInt16(status)))
        if status >= 500, let retryAfter { response.headers.append("retry-after", "\(retryAfter)") }
        if let location { response.headers.append("location", location) }
        return response
    }

    private static func isRight(_ signature: Substring, _ head: String, _ body: [UInt8], _ secret: String) -> Bool {
        guard signature.hasPrefix("v1,"), secret.hasPrefix("whsec_"),
            let key = Base64.decode(secret.dropFirst(6).utf8.span, .standard),
            let code = Base64.decode(signature.dropFirst(3).utf8.span, .standard)
        else { return false }
        return HMACSHA256(key: key.span).isValid(code.span, for: (Array(head.utf8) + body).span)
    }
}
