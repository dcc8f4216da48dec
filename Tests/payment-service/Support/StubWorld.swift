import EventLoop
import HTTP
import ServiceSupport
import Synchronization
import TestSupport
import Wire

/// A server that plays auth-service and both generations of PortOne, in the words of the real ones.
final class StubWorld: Sendable {
    /// A payment as the provider has it: V1 where its reference begins with `imp`, else V2.
    struct Payment: Sendable {
        var reference: String
        var order: String
        var item = "10 Coin"
        var amount = 100
        var cancelled = 0
        var currency = "KRW"
        /// In the words of PortOne V1.
        var status = "paid"
    }

    /// How the provider behaves.
    enum Mood: Sendable {
        case well
        /// Answers 500 to everything.
        case failing
        /// Takes no token for good from now on.
        case refusingTokens
    }

    fileprivate struct State {
        var payments: [String: Payment] = [:]
        var mood = Mood.well
        var token = 1
        var asked = 0
        /// How many have to ask before any of them is answered, and those who wait for that.
        var gathering = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let tokens = TokenIssuer()
    private let loops = EventLoopGroup(count: 1)
    private let server: Server
    private let state: Shared
    let port: UInt16

    /// What the handler and the tests look at.
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

    // MARK: What the provider knows

    /// Makes a payment known, or changes it.
    func put(_ payment: Payment) { state.value.withLock { $0.payments[payment.reference] = payment } }

    func change(_ reference: String, _ change: (inout Payment) -> Void) {
        state.value.withLock { state in
            guard var payment = state.payments[reference] else { return }
            change(&payment)
            state.payments[reference] = payment
        }
    }

    func forget(_ reference: String) { state.value.withLock { $0.payments[reference] = nil } }

    var mood: Mood {
        get { state.value.withLock(\.mood) }
        set { state.value.withLock { $0.mood = newValue } }
    }

    /// Refuses the present token, and gives another.
    func endToken() { state.value.withLock { $0.token += 1 } }

    /// Lets the next `count` who ask for a payment wait for each other, and answers all of them at once.
    func gather(_ count: Int) { state.value.withLock { $0.gathering = count } }

    /// How often somebody asked for a payment.
    var asked: Int { state.value.withLock(\.asked) }

    // MARK: Answers

    private static func answer(_ request: Request, _ state: Shared, _ tokens: TokenIssuer) async throws -> Response {
        let path = String(decoding: request.path, as: UTF8.self)
        let authorization = request.headers.text(.authorization) ?? ""
        switch path {
        case "/internal/keys": return .json(tokens.jwks)
        case "/internal/revocations":
            return .json(Array(#"{"now":\#(Timestamp.now.milliseconds),"revocations":[]}"#.utf8))
        case "/users/getToken":
            let isOurs =
                try await request.body.collect(upTo: 1024) == Array(#"{"imp_key":"key","imp_secret":"secret"}"#.utf8)
            return state.value.withLock { $0.tokenReply(isOurs) }
        default:
            let parts = path.split(separator: "/")
            guard let name = parts.last.flatMap({ PercentEncoding.decode(Array($0.utf8).span) }) else {
                return Response(.notFound)
            }
            if path.contains("/payments/") { await gather(state) }
            if path.hasPrefix("/payments/") { return state.value.withLock { $0.oldReply(name, authorization) } }
            if path.hasPrefix("/v2/payments/") { return state.value.withLock { $0.newReply(name, authorization) } }
            return Response(.notFound)
        }
    }
}

extension StubWorld {
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

extension StubWorld.State {
    fileprivate func tokenReply(_ isOurs: Bool) -> Response {
        if mood == .failing { return Response(Status(500)) }
        guard isOurs else { return .json(Array(#"{"code":-1,"message":"no","response":null}"#.utf8), Status(401)) }
        let now = Timestamp.now.seconds - 5000
        return .json(
            Array(
                #"{"code":0,"message":null,"response":{"access_token":"t\#(token)","now":\#(now),"expired_at":\#(now + 1800)}}"#
                    .utf8))
    }

    fileprivate mutating func oldReply(_ name: String, _ authorization: String) -> Response {
        asked += 1
        if mood == .failing { return Response(Status(500)) }
        guard authorization == "Bearer t\(token)", mood != .refusingTokens else {
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

    fileprivate mutating func newReply(_ name: String, _ authorization: String) -> Response {
        asked += 1
        if mood == .failing { return Response(Status(503)) }
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

/// What must stand in no log, fact or table of ours.
enum Secrets {
    static let buyer = "Hong Gildong"
    static let email = "gildong@example.com"
    static let card = "4111111111111111"
}
