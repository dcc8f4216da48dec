import EventLoop
import HTTP
import ServiceSupport
import Telemetry
import TestSupport
import Wire

@testable import chat_service
@testable import standins

/// chat-service with a receiver of outgoing webhooks. User 4 owns workspace 3.
struct WebhookFixture {
    let chat: ChatHarness
    let receivers: ReceiverStandin
    /// The base URL of the receivers, on the loopback address.
    let url: String

    static let path = "/v1/workspaces/3/webhooks"

    static func use(
        instances: Int = 1, _ settings: [String: String] = [:], log: Log? = nil,
        _ body: (WebhookFixture) async throws -> Void
    ) async throws {
        let loops = EventLoopGroup(count: 1)
        let standins = try ProviderStandins()
        let server = standins.server(on: loops)
        let port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
        // A call that meets its time limit, as on a machine that stands still, is one more attempt.
        var all = ["webhook_exceptions": "127.0.0.1", "webhook_timeout": "60s"]
        all.merge(settings) { _, given in given }
        try await ChatHarness.use(instances: instances, all, log: log) { chat in
            chat.peers.change { $0.roles[4] = "owner" }
            try await body(
                WebhookFixture(
                    chat: chat, receivers: standins.receivers, url: "http://127.0.0.1:\(port)/receivers/"))
        }
        await server.stop()
        loops.stop()
    }

    /// Subscribes a receiver that knows the secret, and returns the id of the subscription.
    func subscribe(
        _ name: String = "a", _ events: [String], channels: [Int] = [], by maker: Int64 = 4
    ) async throws -> String {
        let list = events.map { "\"\($0)\"" }.joined(separator: ",")
        let ids = channels.map { "\"\($0)\"" }.joined(separator: ",")
        let reply = try await chat.call(
            "POST", Self.path, user: maker, json: #"{"url":"\#(url)\#(name)","events":[\#(list)],"channels":[\#(ids)]}"#
        )
        guard reply.status == 201, let id = try reply.json["subscription_id"]?.string,
            let secret = try reply.json["secret"]?.string
        else { throw NeverHappened(description: "a subscription: \(reply.text)") }
        receivers.set(name, secret: secret)
        return id
    }

    /// The bodies that a receiver has taken with their names, in order.
    func taken(_ name: String = "a") throws -> [(id: String, body: JSONValue)] {
        try receivers.received(name).filter { $0.status < 300 }.map { ($0.id, try JSONValue(parsing: $0.body)) }
    }

    /// Waits until a receiver has taken so many events, and returns them.
    func take(_ count: Int, by name: String = "a") async throws -> [JSONValue] {
        try await eventually(within: .seconds(30), "\(count) events at \(name)") { try self.taken(name).count >= count }
        return try taken(name).map(\.body)
    }

    /// The deliveries of a subscription, newest first.
    func deliveries(of subscription: String, _ query: String = "") async throws -> [JSONValue] {
        let reply = try await chat.call("GET", "\(Self.path)/\(subscription)/deliveries\(query)", user: 4)
        return try reply.json["items"]?.elements?.map { $0 } ?? []
    }

    /// Makes a subscription of `maker` be switched off by an answer of its receiver, and returns its id.
    func failForGood(_ name: String = "a", by maker: Int64) async throws -> String {
        let id = try await subscribe(name, ["message"], by: maker)
        receivers.set(name, statuses: [410])
        _ = try await chat.send("one")
        try await eventually(within: .seconds(30), "the switch") {
            try await self.chat.database.ask("select is_on from chat.webhook_subscription where id = \(id)") == "f"
        }
        return id
    }

    /// Waits until nobody is to be told any more that a subscription is off.
    func untilTold() async throws {
        try await eventually(within: .seconds(30), "the last notice") {
            try await self.chat.database.ask(
                "select count(*) from chat.webhook_queue where room = -1 and due_at is not null") == "0"
        }
    }

    /// Keeps the event that was refused from being sent again before `hurry`.
    func delay() async throws {
        try await eventually("the record of a refusal") {
            try await self.chat.database.ask(
                """
                update chat.webhook_queue set due_at = due_at + 3600000 where due_at is not null and attempts > 0
                returning 1
                """) == "1"
        }
    }

    /// Lets every event that waits for another attempt be sent now.
    func hurry() async throws {
        _ = try await chat.database.ask(
            "update chat.webhook_queue set due_at = 0 where due_at is not null and attempts > 0 returning 1")
    }
}
