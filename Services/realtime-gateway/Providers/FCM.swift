import HTTP
import ServiceKit
import Wire

/// Firebase Cloud Messaging, HTTP v1: one request a device, over a shared HTTP/2 connection.
struct FCM: Sendable {
    let http: ProviderHTTP
    let access: FCMAccess
    private let url: String
    private let deadline: Duration

    private static let timeToLive = "86400s"

    /// - Parameters:
    ///   - base: such as `https://fcm.googleapis.com`.
    ///   - deadline: how long a push may take.
    init(base: String, project: String, http: ProviderHTTP, access: FCMAccess, deadline: Duration) {
        self.http = http
        self.access = access
        self.deadline = deadline
        url = "\(base)/v1/projects/\(project)/messages:send"
    }

    /// Sends a push to the provider.
    func send(_ message: PushMessage, to device: String) async -> PushVerdict {
        let verdict = await attempt(message, device)
        return verdict == .unauthorized ? await attempt(message, device) : verdict
    }

    private func attempt(_ message: PushMessage, _ device: String) async -> PushVerdict {
        do {
            let token = try await access.current()
            var request = HTTPClient.Request(.post, url, body: Self.body(message, device))
            request.deadline = deadline
            request.headers.append(.authorization, "Bearer " + token)
            request.headers.append(.contentType, "application/json")
            let reply = try await http.send(request)
            let verdict = PushVerdict(
                status: reply.status, retryAfter: reply.retryAfter(now: .now), body: reply.body)
            if verdict == .unauthorized { access.forget(token) }
            return verdict
        } catch {
            return .later(atLeast: .seconds(1))
        }
    }

    /// The request for a push to a device.
    static func body(_ message: PushMessage, _ device: String) -> [UInt8] {
        JSONWriter.bytes(capacity: 1024) { json in
            json.object { json in
                json.object("message") { json in
                    json.field("token", device)
                    json.object("notification") { json in
                        json.field("title", message.title)
                        json.field("body", message.text)
                    }
                    json.object("data") { json in message.writeData(to: &json) }
                    json.object("android") { json in
                        json.field("priority", "HIGH")
                        json.field("ttl", timeToLive)
                        json.field("collapse_key", message.collapseID)
                        // The key replaces an undelivered push; the tag replaces a shown notification.
                        json.object("notification") { json in
                            json.field("tag", message.collapseID)
                            if let badge = message.badge { json.field("notification_count", badge) }
                        }
                    }
                    json.object("apns") { json in
                        json.object("headers") { json in
                            json.field("apns-priority", "10")
                            json.field("apns-collapse-id", message.collapseID)
                        }
                        json.object("payload") { json in
                            json.object("aps") { json in
                                json.field("sound", "default")
                                if let badge = message.badge { json.field("badge", badge) }
                            }
                        }
                    }
                }
            }
        }
    }
}
