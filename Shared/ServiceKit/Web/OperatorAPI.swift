internal import Contract
internal import HTTP
internal import Telemetry
internal import Wire

/// Dispatches the calls of operators: checks their credential and role, and writes the audit log of operators around each act.
struct OperatorAPI: Sendable {
    /// Writes an entry of the audit log.
    typealias Journal = @Sendable (OperatorAct) async throws -> Void

    /// The name of the service.
    let service: String
    let routes: Router<OperatorRoutes.Route>
    /// The credential that operators share; empty for none.
    let credential: BearerCredential
    /// The operators with a credential of their own.
    let file: OperatorFile
    let journal: Journal
    let ids: IDSource
    let log: Log

    /// Whether a path belongs to operators.
    static func takes(_ path: ArraySlice<UInt8>) -> Bool { path.starts(with: OperatorRoutes.prefix.utf8) }

    func respond(to request: Request) async throws -> Response {
        let caller = try await caller(of: request)
        if request.method == .get, request.path.elementsEqual(Self.own.utf8) { return try Self.own(caller, request) }
        guard case .found(let match) = routes.match(request) else { throw Failure.unknownRoute }
        let (route, call) = (match.payload, InternalCall(request: request, parameters: match.parameters))
        switch route.record {
        case .nothing: return try await route.handler(call)
        case .look(let name):
            try await begin(try entry(name, of: route, by: caller, request))
            return try await route.handler(call)
        case .act(let name):
            guard caller.mayAct else {
                let name = try caller.name(in: request)
                throw Failure(.notAllowed, "\(name) may look and not act: their role is viewer.")
            }
            let begun = try entry(name, of: route, by: caller, request)
            try await begin(begun)
            do {
                let response = try await route.handler(call)
                await end(begun, "done")
                return response
            } catch {
                await end(begun, Failure(causedBy: error).code.rawValue)
                throw error
            }
        }
    }

    /// The id of an entry is new, because an id of the caller could be that of an earlier entry, which would stay alone.
    private func entry(
        _ name: String, of route: OperatorRoutes.Route, by caller: OperatorCaller, _ request: Request
    ) throws(Failure) -> OperatorAct {
        OperatorAct(
            call: RequestID(from: ids).description, at: .now, operatorName: try caller.name(in: request),
            address: request.peerHost, service: service, act: name,
            subject: OperatorRoutes.subject(
                of: String(decoding: request.path, as: UTF8.self), template: route.template))
    }

    /// Writes the entry before the look or the act, which does not happen if the log does not take it.
    private func begin(_ act: OperatorAct) async throws {
        do {
            try await journal(act)
        } catch {
            guard Failure(causedBy: error) == .unavailable else { throw error }
            log.warning("the audit log of operators does not answer", ["act": .name(act.act), "cause": .cause(error)])
            throw Failure(
                .serverError, "workspace-service, which keeps the log of operators, does not answer. Nothing was done.",
                status: 503, retryAfter: .seconds(1))
        }
    }

    /// Writes the outcome. The act has happened, so a log that fails now is only reported: the entry of its begin is there.
    private func end(_ begun: OperatorAct, _ outcome: String) async {
        log.info("operator act", ["act": .name(begun.act), "outcome": .name(outcome)])
        do {
            try await journal(begun.ended(outcome, at: .now))
        } catch {
            log.error("the outcome of an operator act is not in the audit log", ["cause": .cause(error)])
        }
    }

    /// The path that returns the operator's own name and role.
    private static let own = "/operator/me"

    private static func own(_ caller: OperatorCaller, _ request: Request) throws -> Response {
        let name = try caller.name(in: request)
        return .json(
            JSONWriter.bytes { json in
                json.object { json in
                    json.field("name", name)
                    json.field("role", (caller.mayAct ? OperatorRole.operator : .viewer).rawValue)
                }
            })
    }

    private func caller(of request: Request) async throws -> OperatorCaller {
        let list = try await file.list()
        if credential.isShown(by: request) { return .sharing(list) }
        if let shown = request.bearer, let entry = list.holder(of: shown.span) { return .own(entry) }
        guard !credential.secret.isEmpty || !list.entries.isEmpty else {
            throw Failure(
                .invalidToken, "No operator is let in: operator_credential is empty and operators_file lists nobody.")
        }
        throw Failure(.invalidToken, "The operator's credential is required.")
    }
}
