import Contract
import HTTP
import ServiceKit
import Wire

/// The webhooks of payment providers.
struct WebhookRoutes: Sendable {
    let payments: Payments

    /// The headers of signatures, and the body's type.
    private static let headers: [HeaderName] = ["webhook-id", "webhook-timestamp", "webhook-signature", "content-type"]
    /// Bytes.
    private static let bodyLimit = 64 * 1024
    /// Bytes.
    private static let idLimit = 200

    func register(in routes: inout PublicRoutes) {
        for provider in PaymentProviders.known {
            let name = provider.name
            routes.webhook(.post, provider.webhookPath) { call in try await receive(call, from: name) }
        }
    }

    /// Accepts a webhook with 200, whether it is new or not.
    private func receive(_ call: Call, from name: String) async throws -> Response {
        let provider: any PaymentProvider
        do { provider = try payments.providers.named(name) } catch {
            throw Failure(.serverError, "\(error).", status: 503)
        }
        var headers: [String: String] = [:]
        for header in Self.headers { headers[header.description] = call.request.headers.text(header) }
        let body = try await call.request.body.collect(upTo: Self.bodyLimit)
        let notice: WebhookNotice
        do { notice = try provider.notice(in: Webhook(headers: headers, body: body, receivedAt: .now)) } catch {
            throw Failure(error)
        }
        guard (notice.reference ?? "").utf8.count <= OrderNumber.limit,
            (notice.id ?? "").utf8.count <= Self.idLimit
        else { throw Failure.invalid("The webhook is not valid.") }
        try await payments.receive(notice, from: name)
        return call.done()
    }
}

extension Failure {
    /// The error reply for a refused webhook.
    init(_ refusal: Webhook.Refusal) {
        self =
            switch refusal {
            case .unsigned: Failure(.invalidRequest, "The webhook is not signed.", status: 401)
            case .tooOld: Failure(.invalidRequest, "The signature is too old.", status: 401)
            case .tooNew: Failure(.invalidRequest, "The signature's time is in the future.", status: 401)
            case .wrongSignature: Failure(.invalidRequest, "The signature is not valid.", status: 401)
            case .malformed: .invalid("The webhook is not valid.")
            }
    }
}
