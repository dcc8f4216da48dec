internal import EventLoop
public import HTTP
internal import Telemetry
public import Wire

/// Calls the internal API of one other service, on behalf of the call that the running task serves: its id and trace go
/// along.
///
/// A read that fails is tried once more, after a moment that differs from caller to caller, within the same deadline;
/// a write is not, because only the caller knows whether it may happen twice. A service of which half the calls fail
/// is left alone for a second, and then asked by one call at a time. Failures of the other side come as the `Failure`
/// that it told; where it does not answer, as `Failure.unavailable`.
public struct InternalClient: Sendable {
    private let base: String
    private let credential: String
    private let http: HTTPClient
    private let deadline: Duration
    private let breakers: LoopLocal<Breaker>

    private static let replyLimit = 8 * 1024 * 1024

    /// - Note: Confined to its loop, as every value of a `LoopLocal`.
    private final class Breaker {
        var state = CircuitBreaker(.ofPeers)
    }

    /// - Parameters:
    ///   - base: such as `http://127.0.0.1:9101`, without a slash at its end.
    ///   - deadline: for each call, its reply and a second attempt included.
    public init(_ base: String, credential: String, http: HTTPClient, deadline: Duration = .seconds(3)) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.credential = credential
        self.http = http
        self.deadline = deadline
        breakers = LoopLocal(http.group) { _ in Breaker() }
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
        if let context = CallContext.current {
            request.headers.append(.requestID, context.id.description)
            if let trace = context.trace { request.headers.append(.traceparent, trace.traceparent) }
        }
        let breaker = breakers.current
        guard let admission = breaker.state.admit(at: EventLoop.preciseNow) else { throw Failure.unavailable }
        var outcome = CircuitBreaker.Outcome.unknown
        defer { breaker.state.record(outcome, of: admission, at: EventLoop.preciseNow) }
        do {
            let reply = try await http.send(request, retrying: policy(of: request))
            outcome = reply.status.code < 500 ? .success : .failure
            return try Self.answer(in: reply)
        } catch let failure as HTTPClient.Failure {
            outcome = failure.kind.outcome
            if failure.kind == .cancelled { throw CancellationError() }
            throw Failure.unavailable
        }
    }

    /// The first attempt leaves time for a second, which is for reads.
    private func policy(of request: HTTPClient.Request) -> RetryPolicy {
        guard request.isIdempotent else { return RetryPolicy(maximumAttempts: 1) }
        return RetryPolicy(
            maximumAttempts: 2, firstWait: .milliseconds(100), longestWait: .milliseconds(500),
            attemptDeadline: deadline / 2)
    }

    private static func answer(in reply: HTTPClient.Reply) throws(Failure) -> JSONValue {
        let json = try? JSONValue(parsing: reply.body)
        if reply.status.code == 200, let json { return json }
        guard let code = json?["errorCode"]?.string.flatMap(ErrorCode.init), code != .serverError,
            reply.status.code < 500
        else { throw .unavailable }
        throw Failure(code, json?["detail"]?.string ?? "", status: Int(reply.status.code))
    }
}

extension CircuitBreaker.Configuration {
    /// For the product's own services, which come back within seconds.
    fileprivate static var ofPeers: Self {
        var configuration = Self()
        configuration.longestOpenTime = .seconds(2)
        return configuration
    }
}

extension HTTPClient.Failure.Kind {
    /// What it says of the other side's health.
    fileprivate var outcome: CircuitBreaker.Outcome {
        switch self {
        case .unreachable, .untrusted, .connectionLost, .malformedReply, .deadlineExceeded: .failure
        case .invalidRequest, .overloaded, .replyTooLarge, .redirected, .cancelled, .closed: .unknown
        }
    }
}
