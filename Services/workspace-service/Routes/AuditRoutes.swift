import Contract
import HTTP
import ServiceKit
import Wire

/// The audit log of a workspace: clients of the native API read it, and other services add to it.
struct AuditRoutes: Sendable {
    let audit: AuditLog

    func register(in routes: inout PublicRoutes) { routes.native(.get, "/v1/workspaces/{id}/audit", list) }

    func registerInternal(in routes: inout InternalRoutes) { routes.add(AuditRequest.self, record) }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let limit = try call.listLimit()
        let filter = AuditFilter(
            actor: try call.optionalID("actor"), user: try call.optionalID("user"),
            action: try call.query("action").flatMap { $0.isEmpty ? nil : $0 },
            from: try call.optionalTime("from"), until: try call.optionalTime("until"))
        let found = try await audit.list(
            try call.id("id"), filter, before: try call.numericCursor(), limit: limit, for: caller.user)
        let last = found.count == limit ? found.last : nil
        return call.page(found, next: last.map { "\($0.id)" }) { entry, json in
            json.object { json in
                json.field("entry_id", "\(entry.id)")
                json.field("at", entry.at)
                json.field("action", entry.action)
                if let actor = entry.actor { json.field("actor", actor, for: call.profile) }
                if let user = entry.user { json.field("user", user, for: call.profile) }
                if !entry.subject.isEmpty { json.field("subject", entry.subject) }
                json.key("detail")
                json.raw(entry.detail)
                if let address = entry.address { json.field("address", address) }
                if let app = entry.app { json.field("app", app) }
                if let session = entry.session { json.field("session", session, for: call.profile) }
            }
        }
    }

    func record(_ request: AuditRequest) async throws -> EmptyReply {
        try await audit.record(request)
        return EmptyReply()
    }
}
