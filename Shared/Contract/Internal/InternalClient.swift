internal import EventLoop
public import HTTP
internal import Telemetry
public import Wire

/// Calls the internal API of one other service. The request id and the trace of the call that the running task serves
/// go along.
///
/// An idempotent call that fails is sent once more, after a random pause and within the same deadline. Other calls are
/// sent once, because only their caller knows whether they may be repeated. A service that fails half of its calls is
/// not called for a second, and then by one call at a time. A refusal of the other service is thrown as the `Failure`
/// that it replied, with the time to wait; no reply and an unreadable reply are `Failure.unavailable`.
public struct InternalClient: Sendable {
    private let base: String
    private let credential: String
    private let http: HTTPClient
    private let deadline: Duration
    private let breakers: LoopLocal<Breaker>

    /// - Note: Confined to its loop, as every value of a `LoopLocal`.
    private final class Breaker {
        var state = CircuitBreaker(.ofPeers)
    }

    /// - Parameters:
    ///   - base: such as `http://127.0.0.1:9101`.
    ///   - deadline: for each call, including its reply and a second attempt.
    public init(_ base: String, credential: String, http: HTTPClient, deadline: Duration = .seconds(3)) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.credential = credential
        self.http = http
        self.deadline = deadline
        breakers = LoopLocal(http.group) { _ in Breaker() }
    }

    /// Sends a call and reads its reply.
    public func send<Request: InternalRequest>(_ request: Request) async throws -> Request.Reply {
        var writer = InternalRequestWriter(Request.route)
        request.write(to: &writer)
        var call = HTTPClient.Request(Request.route.method, base + writer.path, body: writer.body)
        call.isIdempotent = Request.route.isIdempotent
        let json = try await send(
            call, to: Request.route.template, upTo: Request.largestReply, forClient: Request.isForClient)
        guard let reply = Request.Reply(json) else { throw Failure.unavailable }
        return reply
    }

    /// Posts an empty object to a path that belongs to no `InternalRequest`, once: for the commands of operators.
    public func post(_ path: String) async throws -> JSONValue {
        try await send(HTTPClient.Request(.post, base + path, body: Array("{}".utf8)), to: path, upTo: 1024 * 1024)
    }

    private func send(
        _ request: HTTPClient.Request, to template: String, upTo largestReply: Int, forClient isForClient: Bool = false
    ) async throws -> JSONValue {
        var request = request
        let span = CallContext.current?.recorder?.begin("\(request.method.rawValue) \(template)", .client)
        request.deadline = deadline
        request.maximumReplySize = largestReply
        request.headers.append(.authorization, "Bearer " + credential)
        if !request.body.isEmpty { request.headers.append(.contentType, "application/json") }
        if let context = CallContext.current {
            request.headers.append(.requestID, context.id.description)
            if let trace = span?.context ?? context.trace { request.headers.append(.traceparent, trace.traceparent) }
        }
        let breaker = breakers.current
        guard let admission = breaker.state.admit(at: EventLoop.preciseNow) else { throw Failure.unavailable }
        var outcome = CircuitBreaker.Outcome.unknown
        defer { breaker.state.record(outcome, of: admission, at: EventLoop.preciseNow) }
        var status: Status?
        defer { span?.end(request.method, template, status) }
        do {
            let reply = try await http.send(request, retrying: policy(of: request))
            status = reply.status
            let json = try? JSONValue(parsing: reply.body)
            let isBusy = isForClient && Self.code(in: json) == .tooManyCalls
            outcome = reply.status.code < 500 || isBusy ? .success : .failure
            return try Self.answer(json, reply.status, isBusy: isBusy)
        } catch let failure as HTTPClient.Failure {
            outcome = failure.kind.outcome
            if failure.kind == .cancelled { throw CancellationError() }
            throw Failure.unavailable
        }
    }

    /// The first attempt leaves time for a second one.
    private func policy(of request: HTTPClient.Request) -> RetryPolicy {
        guard request.isIdempotent else { return RetryPolicy(maximumAttempts: 1) }
        return RetryPolicy(
            maximumAttempts: 2, firstWait: .milliseconds(100), longestWait: .milliseconds(500),
            attemptDeadline: deadline / 2)
    }

    /// - Parameter isBusy: whether the service refuses the call of a client to limit its load.
    private static func answer(_ json: JSONValue?, _ status: Status, isBusy: Bool) throws(Failure) -> JSONValue {
        if status.code == 200, let json { return json }
        guard let code = code(in: json), code != .serverError, status.code < 500 || isBusy else { throw .unavailable }
        throw Failure(
            code, json?["detail"]?.string ?? "", status: Int(status.code),
            retryAfter: json?["retry_after"]?.int.map { .milliseconds($0) })
    }

    private static func code(in json: JSONValue?) -> ErrorCode? {
        json?["errorCode"]?.string.flatMap(ErrorCode.init)
    }
}

extension OpenSpan {
    /// Ends the span of a call.
    ///
    /// - Parameter status: nil if no reply came.
    fileprivate func end(_ method: Method, _ template: String, _ status: Status?) {
        var open = self
        open.span.set("http.request.method", .text(method.rawValue))
        open.span.set("url.template", .text(template))
        if let status { open.span.set("http.response.status_code", .number(Int64(status.code))) }
        let hasFailed = status.map { $0.code >= 400 } ?? true
        if hasFailed { open.span.set("error.type", .text(status.map { String($0.code) } ?? "no reply")) }
        open.end(hasFailed: hasFailed)
    }
}

extension CircuitBreaker.Configuration {
    /// For the product's own services, which restart within seconds.
    fileprivate static var ofPeers: Self {
        var configuration = Self()
        configuration.longestOpenTime = .seconds(2)
        return configuration
    }
}

extension HTTPClient.Failure.Kind {
    /// Whether the failure shows that the other service is unhealthy.
    fileprivate var outcome: CircuitBreaker.Outcome {
        switch self {
        case .unreachable, .untrusted, .connectionLost, .malformedReply, .deadlineExceeded: .failure
        case .invalidRequest, .overloaded, .forbidden, .replyTooLarge, .redirected, .cancelled, .closed: .unknown
        }
    }
}
