internal import Contract
internal import EventLoop
internal import HTTP
internal import Telemetry
internal import Wire

/// What stands between the server and the handlers of clients' calls: route, key, limits, token, and errors as replies.
///
/// The order is the contract's: an unknown route is told before a wrong key, and a wrong
/// key before a token is looked at.
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
        let start = request.receivedAt
        let origin = proxies.origin(of: request)
        let id = origin.requestID ?? RequestID(from: ids)
        var report = CallReport(id: id, trace: TraceContext(of: request, from: ids))
        var statuses = ClientProfile.Statuses.legacy
        var response: Response
        do {
            let call = try call(origin, &report, &statuses)
            let context = CallContext(id: id, trace: report.trace)
            switch call.match.payload.action {
            case .open(let handler):
                try limits.admit(address: call.address)
                response = try await CallContext.$current.withValue(context) { try await handler(call) }
            case .signedIn(let handler):
                // Most callers are known: no step of an asynchronous function for them.
                let known = try authenticator.knownCaller(of: request)
                let caller = if let known { known } else { try await authenticator.caller(of: request) }
                try limits.admit(caller.user, now: start)
                response = try await CallContext.$current.withValue(context) { try await handler(call, caller) }
            }
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

    /// Where the request goes, and what its handler is told of it.
    private func call(
        _ origin: CallOrigin, _ report: inout CallReport, _ statuses: inout ClientProfile.Statuses
    ) throws(Failure) -> Call {
        guard let client = origin.request.headers[.sesacKey].flatMap(profiles.find) else {
            if routes.exists(origin.request) { throw Failure(.unknownKey, "The API key is missing or unknown.") }
            return try webhook(origin, &report)
        }
        statuses = client.profile.statuses
        report.client = client
        guard let match = routes.match(origin.request, in: client.profile.generation) else {
            return try webhook(origin, &report)
        }
        report.route = match.payload
        try limits.admit(key: client.text)
        return Call(origin: origin, client: client, id: report.id, match: match, uploads: uploads)
    }

    private func webhook(_ origin: CallOrigin, _ report: inout CallReport) throws(Failure) -> Call {
        guard let match = routes.webhook(origin.request) else { throw .unknownRoute }
        report.route = match.payload
        return Call(origin: origin, client: .none, id: report.id, match: match, uploads: uploads)
    }
}
