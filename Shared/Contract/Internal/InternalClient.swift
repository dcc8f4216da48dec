public import HTTP
public import Wire

/// Calls the internal API of one other service.
///
/// A read that fails is tried once more; a write is not, because only the caller knows whether it may happen twice. Failures
/// of the other side come as the `Failure` that it told; where it does not answer, as `Failure.unavailable`.
public struct InternalClient: Sendable {
    private let base: String
    private let credential: String
    private let http: HTTPClient
    private let deadline: Duration

    private static let replyLimit = 8 * 1024 * 1024

    /// - Parameters:
    ///   - base: such as `http://127.0.0.1:9101`, without a slash at its end.
    ///   - deadline: for each call, its reply included.
    public init(_ base: String, credential: String, http: HTTPClient, deadline: Duration = .seconds(3)) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.credential = credential
        self.http = http
        self.deadline = deadline
    }

    /// Reads by GET.
    public func get(_ path: String) async throws -> JSONValue {
        try await send(HTTPClient.Request(.get, base + path))
    }

    /// Reads by POST, for questions with many ids.
    public func ask(_ path: String, _ write: (inout JSONWriter) -> Void) async throws -> JSONValue {
        var request = HTTPClient.Request(.post, base + path, body: JSONWriter.bytes { $0.object(write) })
        request.isIdempotent = true
        return try await send(request)
    }

    /// Writes by POST, once.
    public func tell(_ path: String, _ write: (inout JSONWriter) -> Void = { _ in }) async throws -> JSONValue {
        try await send(HTTPClient.Request(.post, base + path, body: JSONWriter.bytes { $0.object(write) }))
    }

    private func send(_ request: HTTPClient.Request) async throws -> JSONValue {
        var request = request
        request.deadline = deadline
        request.maximumReplySize = Self.replyLimit
        request.headers.append(.authorization, "Bearer " + credential)
        if !request.body.isEmpty { request.headers.append(.contentType, "application/json") }
        do {
            return try await attempt(request)
        } catch let failure as Failure where failure == .unavailable && request.isIdempotent {
            return try await attempt(request)
        }
    }

    private func attempt(_ request: HTTPClient.Request) async throws -> JSONValue {
        let reply: HTTPClient.Reply
        do {
            reply = try await http.send(request)
        } catch {
            if error.kind == .cancelled { throw CancellationError() }
            throw Failure.unavailable
        }
        let json = try? JSONValue(parsing: reply.body)
        if reply.status.code == 200, let json { return json }
        guard let code = json?["errorCode"]?.string.flatMap(ErrorCode.init), code != .serverError,
            reply.status.code < 500
        else { throw Failure.unavailable }
        throw Failure(code, json?["detail"]?.string ?? "", status: Int(reply.status.code))
    }
}
