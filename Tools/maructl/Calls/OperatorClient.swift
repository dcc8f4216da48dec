import HTTP
import ServiceKit
import Wire

/// Calls the operators' routes of the services with the operator's credential.
struct OperatorClient: Sendable {
    let http: HTTPClient
    let settings: Settings
    /// The name of the operator for the audit log.
    let operatorName: String

    private static let replyLimit = 32 << 20
    /// A refund waits for its provider, and closing a large workspace takes seconds.
    private static let deadline = Duration.seconds(90)

    func send(_ method: HTTP.Method, _ service: ServiceName, _ target: String) async throws(CallFailure) -> JSONValue {
        guard let base = settings.services[service] else { throw .unavailable(service) }
        var request = HTTPClient.Request(method, base + target)
        request.deadline = Self.deadline
        request.maximumReplySize = Self.replyLimit
        // An act that is repeated is in the audit log twice.
        request.isIdempotent = method == .get
        request.headers.append(.authorization, "Bearer " + settings.credential.revealed)
        request.headers.append("X-Operator", operatorName)
        let reply: HTTPClient.Reply
        do { reply = try await http.send(request) } catch { throw .unavailable(service) }
        guard reply.status.code == 200, let json = try? JSONValue(parsing: reply.body) else {
            throw CallFailure(service, status: Int(reply.status.code), body: reply.body)
        }
        return json
    }

    func get(_ service: ServiceName, _ target: String) async throws(CallFailure) -> JSONValue {
        try await send(.get, service, target)
    }
}
