import Contract
import Crypto
import HTTP
import ServiceKit
import Wire

/// The incoming webhooks of a channel, and the addresses to which programs send messages.
struct IncomingWebhookRoutes: Sendable {
    let webhooks: IncomingWebhooks
    let inbox: WebhookInbox
    let publicURL: PublicURL

    private static let address = "/webhooks/incoming/"

    func register(in routes: inout PublicRoutes) {
        let path = "/v1/workspaces/{id}/channels/{channel_id}/webhooks"
        routes.native(.post, path, create)
        routes.native(.get, path, list)
        routes.native(.put, path + "/{webhook_id}", rename)
        routes.native(.post, path + "/{webhook_id}/secret", rotate)
        routes.native(.delete, path + "/{webhook_id}", delete)
        routes.webhook(.post, "/v1\(Self.address){secret}", body: .text(SendRequest.maxText), statuses: .http, send)
    }

    // MARK: Managers

    func create(_ call: Call, _ caller: Caller) async throws -> Response {
        let fresh = try await webhooks.create(
            try await call.fields().text("name"), in: try call.id("channel_id"), of: try call.id("id"),
            by: caller.user, from: call.origin(of: caller))
        return call.created(View(webhook: fresh.webhook, url: address(with: fresh.secret)))
    }

    func list(_ call: Call, _ caller: Caller) async throws -> Response {
        let found = try await webhooks.list(
            of: try call.id("channel_id"), in: try call.id("id"), for: caller.user)
        return call.reply { json in
            json.object { json in
                json.field("items", found.map { View(webhook: $0, url: nil) }, for: call.profile)
                // A channel has few webhooks.
                json.field("next", String?.none)
            }
        }
    }

    func rename(_ call: Call, _ caller: Caller) async throws -> Response {
        let webhook = try await webhooks.rename(
            try call.id("webhook_id"), to: try await call.fields().text("name"), in: try call.id("channel_id"),
            of: try call.id("id"), by: caller.user, from: call.origin(of: caller))
        return call.reply(View(webhook: webhook, url: nil))
    }

    func rotate(_ call: Call, _ caller: Caller) async throws -> Response {
        let fresh = try await webhooks.rotate(
            try call.id("webhook_id"), in: try call.id("channel_id"), of: try call.id("id"), by: caller.user,
            from: call.origin(of: caller))
        return call.reply(View(webhook: fresh.webhook, url: address(with: fresh.secret)))
    }

    func delete(_ call: Call, _ caller: Caller) async throws -> Response {
        try await webhooks.delete(
            try call.id("webhook_id"), in: try call.id("channel_id"), of: try call.id("id"), by: caller.user,
            from: call.origin(of: caller))
        return call.done()
    }

    private func address(with secret: BearerSecret) -> String { publicURL.address(of: Self.address + secret.text) }

    // MARK: Programs

    /// Takes `{"content"}`. Members that it does not know are ignored, as other products send some.
    func send(_ call: Call) async throws -> Response {
        let secret = try call.text("secret")
        try await inbox.admit(secret)
        let type = call.request.headers.text(.contentType)?.lowercased() ?? "application/json"
        guard type.hasPrefix("application/json") else {
            throw Failure.invalid("The body must be JSON.")
        }
        let content = try await call.fields().text("content")
        let message = try await inbox.send(
            content, name: call.request.headers.text(.idempotencyKey), through: try await inbox.webhook(secret))
        var response = call.reply { json in
            json.object { json in
                json.field("chat_id", message.id.description)
                json.field("seq", message.seq)
                json.field("createdAt", message.createdAt)
            }
        }
        response.status = .created
        return response
    }

    /// A webhook as the managers of its channel see it.
    private struct View: Contract.View {
        let webhook: IncomingWebhook
        /// Shown once, after the creation and each rotation.
        let url: String?

        func write(to json: inout JSONWriter, for profile: ClientProfile) {
            json.object { json in
                json.field("webhook_id", webhook.id, for: profile)
                json.field("channel_id", webhook.channel, for: profile)
                json.field("name", webhook.name)
                json.field("user_id", webhook.bot, for: profile)
                json.field("createdBy", webhook.createdBy, for: profile)
                json.field("createdAt", webhook.createdAt)
                if let rotatedAt = webhook.rotatedAt { json.field("rotatedAt", rotatedAt) }
                if let url { json.field("url", url) }
            }
        }
    }
}
