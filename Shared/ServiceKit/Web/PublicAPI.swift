internal import Contract
internal import EventLoop
internal import HTTP
internal import Telemetry
internal import Wire

/// What stands between the server and the handlers of clients' calls: route, key, limits, token, and errors as replies.
///
/// The order is the contract's: an unknown route is told before a wrong key, and a wrong key before a token is looked at.
struct PublicAPI: Sendable {
    let mounts: [Mount]
    let routes: RouteTable
    let profiles: ClientProfiles
    let authenticator: Authenticator
    let limits: CallLimits
    let proxies: TrustedProxies
    let uploads: (any FileStore)?
    let ids: IDSource
    let journal: CallJournal

    func respond(to request: Request) async -> Response {
        for mount in mounts where mount.takes(request.path) { return await mount.handler(request) }
        let start = EventLoop.preciseNow
        let id = proxies.requestID(of: request) ?? RequestID(from: ids)
        var report = CallReport(id: id, trace: trace(of: request))
        var statuses = ClientProfile.Statuses.legacy
        var response: Response
        do {
            response = try await answer(request, id, &report, &statuses)
        } catch {
            let failure = Failure(causedBy: error)
            report.failed(with: failure, because: error)
            response = failure.response(for: statuses)
        }
        response.headers.append(.requestID, id.description)
        report.ended(response.status, start: start)
        journal.write(report)
        return response
    }

    private func answer(
        _ request: Request, _ id: RequestID, _ report: inout CallReport, _ statuses: inout ClientProfile.Statuses
    ) async throws -> Response {
        let key = request.headers.text(.sesacKey) ?? ""
        guard let profile = profiles[key: key] else { return try await answerWithoutKey(request, id, &report) }
        statuses = profile.statuses
        report.profile = profile.name
        guard let match = routes.match(request, in: profile.generation) else {
            return try await answerWebhook(request, id, &report)
        }
        report.route = match.payload
        let address = proxies.address(of: request)
        let call = Call(
            request: request, profile: profile, key: key, id: id, address: address,
            isSecure: proxies.isSecure(request), parameters: match.parameters,
            bodyLimit: match.payload.body, uploads: uploads)
        switch match.payload.action {
        case .open(let handler):
            try limits.admit(address: address)
            return try await handler(call)
        case .signedIn(let handler):
            let caller = try await authenticator.caller(of: request)
            try limits.admit(caller.user, under: profile)
            return try await handler(call, caller)
        }
    }

    private func answerWithoutKey(
        _ request: Request, _ id: RequestID, _ report: inout CallReport
    ) async throws -> Response {
        if routes.exists(request) { throw Failure(.unknownKey, "The API key is missing or unknown.") }
        return try await answerWebhook(request, id, &report)
    }

    private func answerWebhook(_ request: Request, _ id: RequestID, _ report: inout CallReport) async throws -> Response
    {
        guard let match = routes.webhook(request), case .open(let handler) = match.payload.action else {
            throw Failure.unknownRoute
        }
        report.route = match.payload
        let address = proxies.address(of: request)
        try limits.admit(address: address)
        let call = Call(
            request: request, profile: .ofNobody, key: "", id: id, address: address,
            isSecure: proxies.isSecure(request), parameters: match.parameters,
            bodyLimit: match.payload.body, uploads: uploads)
        return try await handler(call)
    }

    /// The gateway's trace, if it has one, continued by a span of this service's own.
    private func trace(of request: Request) -> TraceContext? {
        guard let parent = request.headers[.traceparent] else { return nil }
        return TraceContext(traceparent: parent.span)?.child(from: ids)
    }
}
