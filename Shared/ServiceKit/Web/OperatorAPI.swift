internal import Contract
internal import HTTP
internal import Telemetry
internal import Wire

/// Dispatches the calls of operators: checks their credential, and writes the audit log of operators around each act.
struct OperatorAPI: Sendable {
    /// Writes an entry of the audit log.
    typealias Journal = @Sendable (OperatorAct) async throws -> Void

    /// The name of the service.
    let service: String
    let routes: Router<OperatorRoutes.Route>
    let credential: BearerCredential
    let journal: Journal
    let ids: IDSource
    let log: Log

    private static let longestName = 64

    /// Whether a path belongs to operators.
    static func takes(_ path: ArraySlice<UInt8>) -> Bool { path.starts(with: OperatorRoutes.prefix.utf8) }

    func respond(to request: Request) async throws -> Response {
        guard !credential.secret.isEmpty else {
            throw Failure(.invalidToken, "Operators are not let in: operator_credential is not set.")
        }
        guard credential.isShown(by: request) else {
            throw Failure(.invalidToken, "The operator's credential is required.")
        }
        guard case .found(let match) = routes.match(request) else { throw Failure.unknownRoute }
        let (route, call) = (match.payload, InternalCall(request: request, parameters: match.parameters))
        switch route.record {
        case .nothing: return try await route.handler(call)
        case .look(let name):
            try await journal(try entry(name, of: route, request))
            return try await route.handler(call)
        case .act(let name):
            let begun = try entry(name, of: route, request)
            try await journal(begun)
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
    private func entry(_ name: String, of route: OperatorRoutes.Route, _ request: Request) throws(Failure)
        -> OperatorAct
    {
        OperatorAct(
            call: RequestID(from: ids).description, at: .now, operatorName: try Self.operatorName(of: request),
            address: request.peerHost, service: service, act: name,
            subject: OperatorRoutes.subject(
                of: String(decoding: request.path, as: UTF8.self), template: route.template))
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

    /// The name in `X-Operator`: letters, digits and `.@_-`.
    private static func operatorName(of request: Request) throws(Failure) -> String {
        let name = String(decoding: request.headers["X-Operator"] ?? [], as: UTF8.self)
        let isValid = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isValid, (1...longestName).contains(name.utf8.count) else {
            throw .invalid("X-Operator must name the operator: 1 to \(longestName) letters, digits and .@_-")
        }
        return name
    }
}
