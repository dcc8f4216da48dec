internal import Contract
internal import Crypto
internal import HTTP
internal import Telemetry
internal import Wire

/// What stands before the internal routes: the service credential, and the pages for operators that need none.
struct InternalAPI: Sendable {
    let routes: Router<InternalRoutes.Route>
    let credential: [UInt8]
    let pages: OperatorPages

    func respond(to request: Request) async -> Response {
        if let page = await pages.page(for: request) { return page }
        do {
            guard isCredential(request.headers[.authorization] ?? []) else {
                throw Failure(.invalidToken, "The service credential is required.")
            }
            guard case .found(let match) = routes.match(request.method, request.path) else {
                throw Failure.unknownRoute
            }
            return try await match.payload.handler(InternalCall(request: request, parameters: match.parameters))
        } catch {
            let failure = Failure(causedBy: error)
            if failure.code == .serverError { pages.log.error("internal call failed", ["cause": .cause(error)]) }
            let body = JSONWriter.bytes { json in
                json.object { json in
                    json.field("errorCode", failure.code.rawValue)
                    json.field("detail", failure.detail)
                }
            }
            return .json(body, Status(UInt16(failure.status)))
        }
    }

    private func isCredential(_ header: ArraySlice<UInt8>) -> Bool {
        let bearer = Array("Bearer ".utf8)
        guard header.starts(with: bearer) else { return false }
        let shown = header.dropFirst(bearer.count)
        return ConstantTime.areEqual(shown.span, credential.span)
    }
}
