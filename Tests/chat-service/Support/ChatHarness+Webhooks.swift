import ServiceSupport
import TestSupport
import Wire

@testable import chat_service

/// An incoming webhook of channel 7 as its makers know it.
struct KnownWebhook {
    let id: String
    /// The path of its address.
    let address: String
}

extension ChatHarness {
    static let webhooks = "\(channel)/webhooks"

    /// Makes a webhook of channel 7 as user 4, the owner of the workspace.
    func makeWebhook(_ name: String = "build") async throws -> KnownWebhook {
        peers.change { $0.roles[4] = "owner" }
        let reply = try await call("POST", Self.webhooks, user: 4, json: #"{"name":"\#(name)"}"#)
        guard reply.status == 201, let id = try reply.json["webhook_id"]?.string,
            let url = try reply.json["url"]?.string
        else { throw NeverHappened(description: "a webhook: \(reply.text)") }
        return KnownWebhook(id: id, address: url.hasPrefix("/") ? "/v1" + url : url)
    }

    /// Sends to the address of a webhook as a program does.
    func post(
        _ json: String, to address: String, key: String? = nil, type: String = "application/json", on instance: Int = 0
    ) async throws -> HTTPCall.Reply {
        let name = key.map { [("Idempotency-Key", $0)] } ?? []
        return try await instances[instance].call(
            "POST", address, key: nil, headers: name + [("Content-Type", type)], body: Array(json.utf8))
    }
}
