import EventLoop
import HTTP
import ServiceSupport
import Synchronization
import TestSupport
import Wire

/// A stub of auth-service, PortOne V1 and PortOne V2 in one server.
final class ProviderStub: Sendable {
    /// A payment at the provider: of V1 if its reference begins with `imp`, else of V2.
    struct Payment: Sendable {
        var reference: String
        var order: String
        var item = "10 Coin"
        var amount = 100
        var cancelled = 0
        var currency = "KRW"
        /// A status of PortOne V1.
        var status = "paid"
    }

    /// The provider's behavior.
    enum Behavior: Sendable {
        case well
        /// Answers 500 to everything.
        case failing
        /// Refuses every token.
        case refusingTokens
        /// Answers 504 to refunds, and carries none out yet.
        case delayingRefunds
    }

    fileprivate struct State {
        var payments: [String: Payment] = [:]
        var behavior = Behavior.well
        var token = 1
        var lookups = 0
        /// The number of lookups that must arrive before any is answered, and those that wait.
        var gathering = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let tokens = TokenIssuer()
    private let loops = EventLoopGroup(count: 1)
    private let server: Server
    private let state: Shared
    let port: UInt16

    /// The state that handler and tests share.
    fileprivate final class Shared: Sendable {
        let value = Mutex(State())
    }

    init() throws {
        let state = Shared()
        self.state = state
        let tokens = tokens
        server = Server(on: loops) { request in
            try await Self.answer(request, state, tokens)
        }
        port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
    }

    func stop() async {
        await server.stop()
        await onOwnThread { [loops] in loops.stop() }
    }

    var url: String { "http://127.0.0.1:\(port)" }

    // MARK: Payments

    /// Adds or replaces a payment.
    func put(_ payment: Payment) { state.value.withLock { $0.payments[payment.reference] = payment } }

    func change(_ reference: String, _ change: (inout Payment) -> Void) {
        state.value.withLock { state in
            guard var payment = state.payments[reference] else { return }
            change(&payment)
            state.payments[reference] = payment
        }
    }

    func remove(_ reference: String) { state.value.withLock { $0.payments[reference] = nil } }

    var behavior: Behavior {
        get { state.value.withLock(\.behavior) }
        set { state.value.withLock { $0.behavior = newValue } }
    }

    /// Replaces the token; the old one is refused.
    func replaceToken() { state.value.withLock { $0.token += 1 } }

    /// Holds the next `count` lookups and answers all of them at once.
    func gather(_ count: Int) { state.value.withLock { $0.gathering = count } }

    /// The number of lookups.
    var lookups: Int { state.value.withLock(\.lookups) }

    // MARK: Replies

    private static func answer(_ request: Request, _ state: Shared, _ tokens: TokenIssuer) async throws -> Response {
        let path = String(decoding: request.path, as: UTF8.self)
        let authorization = request.headers.text(.authorization) ?? ""
        switch path {
        case "/internal/keys": return .json(tokens.jwks)
        case "/internal/revocations":
            return .json(Array(#"{"now":\#(Timestamp.now.milliseconds),"revocations":[]}"#.utf8))
        case "/internal/erasures/7/payment", "/internal/operators/acts": return .json(Array("{}".utf8))
        case "/users/getToken":
            let isOurs =
                try await request.body.collect(upTo: 1024) == Array(#"{"imp_key":"key","imp_secret":"secret"}"#.utf8)
            return state.value.withLock { $0.tokenReply(isOurs) }
        default:
            let parts = path.split(separator: "/")
            guard let name = parts.last.flatMap({ PercentEncoding.decode(Array($0.utf8).span) }) else {
                return Response(.notFound)
            }
            if name == "cancel", state.value.withLock(\.behavior) == .delayingRefunds { return Response(Status(504)) }
            if path.contains("/payments/") { await gather(state) }
            if path.hasPrefix("/payments/") { return state.value.withLock { $0.replyV1(name, authorization) } }
            if path.hasPrefix("/v2/payments/") { return state.value.withLock { $0.replyV2(name, authorization) } }
            return Response(.notFound)
        }
    }
}

extension ProviderStub {
    private static func gather(_ state: Shared) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let gathered = state.value.withLock { state -> [CheckedContinuation<Void, Never>] in
                guard state.gathering > 0 else { return [continuation] }
                state.waiting.append(continuation)
                guard state.waiting.count == state.gathering else { return [] }
                defer { (state.gathering, state.waiting) = (0, []) }
                return state.waiting
            }
            for one in gathered { one.resume() }
        }
    }
}

extension ProviderStub.State {
    fileprivate func tokenReply(_ isOurs: Bool) -> Response {
        if behavior == .failing { return Response(Status(500)) }
        guard isOurs else { return .json(Array(#"{"code":-1,"message":"no","response":null}"#.utf8), Status(401)) }
        let now = Timestamp.now.seconds - 5000
        return .json(
            Array(
                #"{"code":0,"message":null,"response":{"access_token":"t\#(token)","now":\#(now),"expired_at":\#(now + 1800)}}"#
                    .utf8))
    }

    fileprivate mutating func replyV1(_ name: String, _ authorization: String) -> Response {
        lookups += 1
        if behavior == .failing { return Response(Status(500)) }
        guard authorization == "Bearer t\(token)", behavior != .refusingTokens else {
            return .json(Array(#"{"code":-1,"message":"no","response":null}"#.utf8), Status(401))
        }
        guard let payment = payments[name], name.hasPrefix("imp") else {
            return .json(Array(#"{"code":1,"message":"no such payment","response":null}"#.utf8), Status(404))
        }
        return .json(
            JSONWriter.bytes { json in
                json.object { json in
                    json.field("code", 0)
                    json.object("response") { json in
                        json.field("imp_uid", payment.reference)
                        json.field("merchant_uid", payment.order)
                        json.field("name", payment.item)
                        json.field("amount", payment.amount)
                        json.field("cancel_amount", payment.cancelled)
                        json.field("currency", payment.currency)
                        json.field("status", payment.status)
                        json.field("paid_at", payment.status == "paid" ? 1_700_000_000 : 0)
                        json.field("buyer_name", Secrets.buyer)
                        json.field("buyer_email", Secrets.email)
                        json.field("card_number", Secrets.card)
                    }
                }
            })
    }

    fileprivate mutating func replyV2(_ name: String, _ authorization: String) -> Response {
        lookups += 1
        if behavior == .failing { return Response(Status(503)) }
        guard authorization == "PortOne v2secret" else {
            return .json(Array(#"{"type":"UNAUTHORIZED"}"#.utf8), Status(401))
        }
        guard let payment = payments[name], !name.hasPrefix("imp") else {
            return .json(Array(#"{"type":"PAYMENT_NOT_FOUND"}"#.utf8), Status(404))
        }
        let states = ["paid": "PAID", "cancelled": "CANCELLED", "failed": "FAILED", "ready": "READY"]
        return .json(
            JSONWriter.bytes { json in
                json.object { json in
                    json.field("id", payment.reference)
                    json.field("status", states[payment.status] ?? payment.status)
                    json.field("orderName", payment.item)
                    json.field("currency", payment.currency)
                    json.object("amount") { json in
                        json.field("total", payment.amount)
                        json.field("cancelled", payment.cancelled)
                    }
                    if payment.order != payment.reference {
                        json.field("customData", #"{"merchant_uid":"\#(payment.order)"}"#)
                    }
                    json.field("paidAt", "2023-11-14T22:13:20Z")
                    json.object("customer") { json in
                        json.field("name", Secrets.buyer)
                        json.field("email", Secrets.email)
                    }
                }
            })
    }
}

/// Personal data that must not appear in logs, facts or tables.
enum Secrets {
    static let buyer = "Hong Gildong"
    static let email = "gildong@example.com"
    static let card = "4111111111111111"
}
