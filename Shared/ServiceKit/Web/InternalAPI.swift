internal import Contract
internal import HTTP
internal import Telemetry
internal import Wire

/// Dispatches the requests on the internal port: checks the service credential for internal routes, passes calls of operators
/// on, and serves the pages for operators, which need no credential.
struct InternalAPI: Sendable {
    let routes: Router<InternalRoutes.Route>
    let credential: BearerCredential
    let operators: OperatorAPI
    let ids: IDSource
    let tracer: Tracer?
    let pages: OperatorPages

    func respond(to request: Request) async -> Response {
        if let page = await pages.page(for: request) { return page }
        let id = request.headers.withValue(of: .requestID) { RequestID($0) } ?? RequestID(from: ids)
        let parent = request.traceParent
        let match = match(request)
        let recording = tracer.flatMap { tracer in
            tracer.follow(parent).flatMap { first in
                // Other callers may not begin a trace.
                match.map { CallTrace(request, to: $0.payload.template, id: id, as: first, below: parent, by: tracer) }
            }
        }
        let context = CallContext(id: id, trace: parent?.child(from: ids), recorder: recording?.recorder)
        var response: Response
        var failure: Failure?
        do {
            response = try await CallContext.$current.withValue(context) { try await dispatch(request, to: match) }
        } catch {
            let visible = Failure(causedBy: error)
            if visible.code == .serverError {
                pages.log.with(request: id, trace: context.trace).error(
                    "internal call failed", ["cause": .cause(error)])
            }
            response = Self.response(to: visible)
            failure = visible
        }
        response.headers.append(.requestID, id.description)
        recording?.end(response.status, failure?.code)
        return response
    }

    /// The route of a call with the service credential.
    private func match(_ request: Request) -> RouteMatch<InternalRoutes.Route>? {
        guard !OperatorAPI.takes(request.path), credential.isShown(by: request),
            case .found(let match) = routes.match(request)
        else { return nil }
        return match
    }

    private func dispatch(_ request: Request, to match: RouteMatch<InternalRoutes.Route>?) async throws -> Response {
        if OperatorAPI.takes(request.path) { return try await operators.respond(to: request) }
        guard credential.isShown(by: request) else {
            throw Failure(.invalidToken, "The service credential is required.")
        }
        guard let match else { throw Failure.unknownRoute }
        return try await match.payload.handler(InternalCall(request: request, parameters: match.parameters))
    }

    private static func response(to failure: Failure) -> Response {
        let body = JSONWriter.bytes { json in
            json.object { json in
                json.field("errorCode", failure.code.rawValue)
                json.field("detail", failure.detail)
                if let wait = failure.retryAfter { json.field("retry_after", wait.wholeMilliseconds) }
            }
        }
        var response = Response.json(body, Status(UInt16(failure.status)))
        // Keeps `InternalClient` from repeating a refused call before that. After a failure, a second attempt soon may succeed.
        if failure.code == .tooManyCalls { failure.addRetryAfter(to: &response) }
        return response
    }
}

extension Request {
    /// The caller's step of a trace; nil if it sent none.
    var traceParent: TraceContext? { headers.withValue(of: .traceparent) { TraceContext(traceparent: $0) } }
}
