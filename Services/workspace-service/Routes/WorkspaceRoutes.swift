import Contract
import HTTP
import ServiceKit
import Wire

/// Workspaces: create, list, read, search, edit, delete.
struct WorkspaceRoutes: Sendable {
    let workspaces: Workspaces
    let queries: WorkspaceQueries
    let covers: CoverImages
    let imageSize: Int

    func register(in routes: inout PublicRoutes) {
        let body = BodyLimit.files(1, of: imageSize)
        routes.signedIn(.post, "/v1/workspaces", body: body, create)
        routes.signedIn(.get, "/v1/workspaces", list)
        routes.signedIn(.get, "/v1/workspaces/{id}", detail)
        routes.signedIn(.put, "/v1/workspaces/{id}", body: body, edit)
        routes.signedIn(.delete, "/v1/workspaces/{id}", delete)
        routes.signedIn(.get, "/v1/workspaces/{id}/search", in: .july2024, search)
    }

    func create(_ call: Call, _ caller: Caller) async throws -> Response {
        let fields = try await call.fields()
        let name = try NameRules.name(try fields.text("name"))
        let description = try NameRules.description(try fields.interpolatedText("description")) ?? ""
        return try await covers.keeping(fields.file("image"), in: .workspaces) { image in
            guard let image else { throw Failure.invalid("image is required.") }
            return call.created(
                try await workspaces.create(name, description: description, image: image, by: caller.user).view())
        }
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.reply(queries.workspaces(of: caller.user, for: call.profile))
    }

    func detail(_ call: Call, _ caller: Caller) async throws -> Response {
        try await call.reply(queries.detail(try call.id("id"), for: caller.user, call.profile))
    }

    func edit(_ call: Call, _ caller: Caller) async throws -> Response {
        let id: WorkspaceID = try call.id("id")
        let fields = try await call.fields()
        let name = try fields.optionalText("name").map(NameRules.name)
        let description = try NameRules.description(try fields.interpolatedText("description"))
        return try await covers.keeping(fields.file("image"), in: .workspaces) { image in
            let edited = try await workspaces.edit(
                id, name: name, description: description, image: image, by: caller.user,
                from: call.origin(of: caller))
            return call.reply(edited.view())
        }
    }

    func delete(_ call: Call, _ caller: Caller) async throws -> Response {
        try await workspaces.delete(try call.id("id"), by: caller.user)
        covers.removeUnused()
        return call.done()
    }

    func search(_ call: Call, _ caller: Caller) async throws -> Response {
        let keyword = try call.query("keyword") ?? ""
        return try await call.reply(queries.search(try call.id("id"), keyword, for: caller.user, call.profile))
    }
}
