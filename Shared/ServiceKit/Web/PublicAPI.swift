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
    let ids: IDSource
    let journal: CallJournal

    func respond(to request: Request) async -> Response {
        for mount in mounts where mount.takes(request.path) { return await mount.handler(request) }
        let call = Call(proxies.origin(of: request), ids: ids)
        let response: Response
        do {
            switch try action(of: call, request) {
            case .open(let work):
                try limits.admit(address: call.address)
                response =
                    switch work {
                    case .prompt(let handler): try CallContext.$current.withValue(call) { try handler(call) }
                    case .waiting(let handler):
                        try await CallContext.$current.withValue(call) { try await handler(call) }
                    }
            case .signedIn(let work):
                // Most callers are known: no step of an asynchronous function for them.
                let known = try authenticator.knownCaller(of: request)
                let caller = if let known { known } else { try await authenticator.caller(of: request) }
                try limits.admit(caller.user, now: request.receivedAt)
                response =
                    switch work {
                    case .prompt(let handler): try CallContext.$current.withValue(call) { try handler(call, caller) }
                    case .waiting(let handler):
                        try await CallContext.$current.withValue(call) { try await handler(call, caller) }
                    }
            }
        } catch {
            let failure = CallFailure(error)
            return end(call, failure.told.response(for: call.statuses), failure)
        }
        return end(call, response)
    }

    private func end(_ call: Call, _ response: consuming Response, _ failure: CallFailure? = nil) -> Response {
        response.headers.append(.requestID, call.id.description)
        journal.write(call, response.status, failure)
        return response
    }

    /// Finds out whose app the call comes from and where it goes.
    private func action(of call: Call, _ request: Request) throws(Failure) -> PublicRoutes.Action {
        guard let client = request.headers.withValue(of: .sesacKey, profiles.find) else {
            if routes.exists(request) { throw Failure(.unknownKey, "The API key is missing or unknown.") }
            return try webhook(call, request)
        }
        call.comes(from: client)
        guard let match = routes.match(request, in: client.profile.generation) else {
            return try webhook(call, request)
        }
        call.goes(to: match)
        try limits.admit(key: client.text)
        return match.payload.action
    }

    private func webhook(_ call: Call, _ request: Request) throws(Failure) -> PublicRoutes.Action {
        guard let match = routes.webhook(request) else { throw .unknownRoute }
        call.comes(from: .none)
        call.goes(to: match)
        return match.payload.action
    }
}

extension Call {
    /// How the client is told of failures; whose app is not known is not told the truth.
    fileprivate var statuses: ClientProfile.Statuses { client === ClientKey.none ? .legacy : client.profile.statuses }
}
