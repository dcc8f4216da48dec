internal import Contract
internal import EventLoop
internal import HTTP
internal import Telemetry
internal import Wire

/// Dispatches the requests of clients: finds the route, checks API key, limits and token, and turns errors into replies.
///
/// The contract fixes the order: an unknown route is reported before a wrong key, and a wrong key before the token is
/// checked.
final class PublicAPI: Sendable {
    private let mounts: [Mount]
    private let routes: RouteTable
    private let profiles: ClientProfiles
    private let authenticator: Authenticator
    private let limits: CallLimits
    private let replies: ReplyBudget
    private let proxies: TrustedProxies
    private let ids: IDSource
    private let tracer: Tracer?
    private let journal: CallJournal

    init(
        mounts: [Mount], routes: RouteTable, profiles: ClientProfiles, authenticator: Authenticator,
        limits: CallLimits, replies: ReplyBudget, proxies: TrustedProxies, ids: IDSource, tracer: Tracer?,
        journal: CallJournal
    ) {
        self.mounts = mounts
        self.routes = routes
        self.profiles = profiles
        self.authenticator = authenticator
        self.limits = limits
        self.replies = replies
        self.proxies = proxies
        self.ids = ids
        self.tracer = tracer
        self.journal = journal
    }

    func reply(to request: Request) async -> Response {
        for mount in mounts where mount.takes(request.path) { return await mount.handler(request) }
        let call = call(of: request)
        var caller: Caller?
        do {
            switch try action(of: call) {
            case .open(let handler):
                try limits.admit(address: call.address)
                try replies.admit(nil, at: call.address)
                return end(call, nil, try await CallContext.$current.withValue(call) { try await handler(call) })
            case .signedIn(let handler):
                let known = try await authenticator.caller(of: request, under: call.profile, from: call.address)
                caller = known
                try limits.admit(known.user, now: request.receivedAt)
                try known.require(call.route?.botScope)
                try replies.admit(known.user, at: call.address)
                return end(
                    call, known, try await CallContext.$current.withValue(call) { try await handler(call, known) })
            }
        } catch {
            return refuse(call, caller, error)
        }
    }

    /// Finds the client profile and the route of a request.
    private func call(of request: Request) -> Call {
        let client = request.headers.withValue(of: .sesacKey) { profiles.find($0) }
        let origin = proxies.origin(of: request)
        if let client, let match = routes.match(request, in: client.profile.form) {
            return Call(origin, from: client, to: match, ids: ids, tracer: tracer)
        }
        if let match = routes.keyless(request) { return Call(origin, from: .none, to: match, ids: ids, tracer: tracer) }
        return Call(origin, from: client ?? .none, to: nil, ids: ids, tracer: tracer)
    }

    private func action(of call: Call) throws(Failure) -> PublicRoutes.Action {
        guard let route = call.route else {
            guard call.client === ClientKey.none, routes.exists(call.request) else { throw .unknownRoute }
            throw Failure(.unknownKey, "The API key is missing or unknown.")
        }
        if call.client !== ClientKey.none { try limits.admit(key: call.key) }
        return route.action
    }

    private func refuse(_ call: Call, _ caller: Caller?, _ error: any Error) -> Response {
        let failure = CallFailure(error)
        return end(
            call, caller, failure.visible.known(to: call.client.profile).response(for: call.statuses, to: call.id),
            failure)
    }

    private func end(
        _ call: Call, _ caller: Caller?, _ response: consuming Response, _ failure: CallFailure? = nil
    ) -> Response {
        response.headers.append(.requestID, call.id.description)
        if response.isLarge || call.request.isClientSlow {
            response.account = replies.account(of: caller?.user, at: call.address)
        }
        journal.write(call, caller, response.status, failure)
        call.recording?.end(response.status, failure?.visible.code)
        return response
    }
}

extension Call {
    /// The form of failures for the client. Without a known API key the route decides, and an unknown route has the legacy form.
    fileprivate var statuses: ClientProfile.Statuses {
        client === ClientKey.none ? route?.statuses ?? .legacy : client.profile.statuses
    }
}
