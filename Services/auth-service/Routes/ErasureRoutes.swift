import Contract
import HTTP
import ServiceKit
import Telemetry
import Wire

/// The deletion of an account by its owner.
struct ErasureRoutes: Sendable {
    let erasures: Erasures
    let confirmation: DeletionConfirmation

    func register(in routes: inout PublicRoutes) {
        routes.native(.delete, "/v1/users/me", delete)
    }

    func registerInternal(in routes: inout InternalRoutes) {
        routes.add(ErasedRequest.self, erased)
        routes.add(ErasureRequest.self, state)
    }

    /// Deletes the caller's account, unless workspaces with other members have no other owner.
    func delete(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let deletesMessages = try fields.optionalText("messages").map(Self.deletesMessages) ?? false
        let grant = try await confirmation.confirm(
            caller, from: call.address, under: call.profile, by: try DeletionConfirmation.Proof(in: fields))
        let obstacles = try await erasures.obstacles(of: caller.user)
        guard obstacles.isEmpty else { return Self.refusal(obstacles, call) }
        try await erasures.delete(
            Erasures.Order(account: caller.user, deletesMessages: deletesMessages, grant: grant))
        var response = call.done()
        SocketCookie.clear(in: &response, for: call)
        return response
    }

    private static func deletesMessages(_ text: String) throws(Failure) -> Bool {
        switch text {
        case "keep": return false
        case "delete": return true
        default: throw .invalid("messages must be keep or delete.")
        }
    }

    private static func refusal(_ workspaces: [WorkspaceID], _ call: Call) -> Response {
        let failure = Failure(.refused, "Hand your workspaces over or delete them first.")
        return Response(
            Status(UInt16(failure.status)), type: "application/problem+json",
            JSONWriter.bytes { json in
                json.object { json in
                    json.field("type", "about:blank")
                    json.field("title", "Conflict")
                    json.field("status", failure.status)
                    json.field("requestId", call.id.description)
                    json.field("errorCode", failure.code.rawValue)
                    json.field("detail", failure.detail)
                    json.field("workspaces", workspaces.map(\.description))
                }
            })
    }

    func erased(_ request: ErasedRequest) async throws -> EmptyReply {
        try await erasures.erased(request.user, by: request.part, round: request.round)
        return EmptyReply()
    }

    func state(_ request: ErasureRequest) async throws -> ErasureReply {
        guard let state = try await erasures.store.find(request.user) else { throw Failure.notFound }
        return state
    }
}
