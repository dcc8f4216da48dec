import Contract
import HTTP
import ServiceKit
import Wire

/// Copies of all data of an account for its owner.
struct ExportRoutes: Sendable {
    let exports: Exports

    func register(in routes: inout PublicRoutes) {
        routes.native(.post, "/v1/users/me/export", request)
        routes.native(.get, "/v1/users/me/export", state)
        let file = "/v1/static/\(Exports.folder)/{name}"
        routes.native(.get, file, own)
        routes.linked(.get, file, linked)
    }

    func request(_ call: Call, _ caller: Caller) async throws -> Response {
        reply(try await exports.request(caller.user, from: call.address, app: call.profile.name), call)
    }

    func state(_ call: Call, _ caller: Caller) async throws -> Response {
        reply(try await exports.state(of: caller.user), call)
    }

    private func reply(_ state: ExportState, _ call: Call) -> Response {
        var response = call.reply { json in
            json.object { json in
                json.field("state", state.name)
                if case .ready(let download) = state {
                    json.field("url", exports.links.url(of: download))
                    json.field("expiresAt", download.expiresAt)
                }
            }
        }
        response.headers.append(.cacheControl, "no-store")
        return response
    }

    /// Serves the export to its owner.
    func own(_ call: Call, _ caller: Caller) async throws -> Response {
        try reply(try await exports.download(try call.text("name"), by: caller.user), call)
    }

    /// Serves the export to the holder of its link.
    func linked(_ call: Call) async throws -> Response {
        guard let signature = try call.query("signature") else {
            throw Failure(.unknownKey, "The API key is missing or unknown.")
        }
        return try reply(try await exports.download(try call.text("name"), signature: signature), call)
    }

    private func reply(_ file: StoredFile, _ call: Call) throws -> Response {
        guard let tag = EntityTag(String(try call.text("name").prefix { $0 != "." })) else { throw Failure.notFound }
        var headers = Headers()
        headers.append(.cacheControl, "private, no-store")
        headers.append("X-Content-Type-Options", "nosniff")
        headers.append("Cross-Origin-Resource-Policy", "cross-origin")
        headers.append(.contentDisposition, #"attachment; filename="maru-export.zip""#)
        let reply = FileReply(file.file, size: file.size, type: "application/zip", tag: tag)
        guard let response = reply.response(to: call.request, headers: headers) else {
            throw Failure(.invalidRequest, "The requested range is not within the file.", status: 416)
        }
        return response
    }
}
