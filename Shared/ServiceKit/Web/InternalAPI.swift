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
    let pages: OperatorPages

    func respond(to request: Request) async -> Response {
        if let page = await pages.page(for: request) { return page }
        let id = request.headers.withValue(of: .requestID) { RequestID($0) } ?? RequestID(from: ids)
        let context = CallContext(id: id, trace: TraceContext(of: request, from: ids))
        do {
            return try await CallContext.$current.withValue(context) { try await dispatch(request) }
        } catch {
            let failure = Failure(causedBy: error)
            if failure.code == .serverError {
                pages.log.with(request: id, trace: context.trace).error(
                    "internal call failed", ["cause": .cause(error)])
            }
            return Self.response(to: failure)
        }
    }

    private func dispatch(_ request: Request) async throws -> Response {
        if OperatorAPI.takes(request.path) { return try await operators.respond(to: request) }
        guard credential.isShown(by: request) else {
            throw Failure(.invalidToken, "The service credential is required.")
        }
        guard case .found(let match) = routes.match(request) else { throw Failure.unknownRoute }
        return try await match.payload.handler(InternalCall(request: request, parameters: match.parameters))
    }

    private static func response(to failure: Failure) -> Response {
        let body = JSONWriter.bytes { json in
            json.object { json in
                json.field("errorCode", failure.code.rawValue)
                json.field("detail", failure.detail)
            }
        }
        return .json(body, Status(UInt16(failure.status)))
    }
}

extension TraceContext {
    /// A child of the trace context of `request`; nil if the request has none.
    init?(of request: Request, from ids: IDSource) {
        let parent = request.headers.withValue(of: .traceparent) { TraceContext(traceparent: $0) }
        guard let parent else { return nil }
        self = parent.child(from: ids)
    }
}
