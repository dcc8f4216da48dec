internal import Contract
internal import Crypto
internal import HTTP
internal import Telemetry
internal import Wire

/// Dispatches the requests on the internal port: checks the service credential for internal routes, and serves the pages for
/// operators, which need none.
struct InternalAPI: Sendable {
    let routes: Router<InternalRoutes.Route>
    let credential: [UInt8]
    let ids: IDSource
    let pages: OperatorPages

    func respond(to request: Request) async -> Response {
        if let page = await pages.page(for: request) { return page }
        let id = request.headers.withValue(of: .requestID) { RequestID($0) } ?? RequestID(from: ids)
        let context = CallContext(id: id, trace: TraceContext(of: request, from: ids))
        do {
            guard isCredential(request.headers[.authorization] ?? []) else {
                throw Failure(.invalidToken, "The service credential is required.")
            }
            guard case .found(let match) = routes.match(request) else {
                throw Failure.unknownRoute
            }
            let call = InternalCall(request: request, parameters: match.parameters)
            return try await CallContext.$current.withValue(context) { try await match.payload.handler(call) }
        } catch {
            let failure = Failure(causedBy: error)
            if failure.code == .serverError {
                pages.log.with(request: id, trace: context.trace).error(
                    "internal call failed", ["cause": .cause(error)])
            }
            return Self.response(to: failure)
        }
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

    private func isCredential(_ header: ArraySlice<UInt8>) -> Bool {
        let bearer = Array("Bearer ".utf8)
        guard header.starts(with: bearer) else { return false }
        let shown = header.dropFirst(bearer.count)
        return ConstantTime.areEqual(shown.span, credential.span)
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
