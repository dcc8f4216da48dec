import EventLoop
import HTTP
import ServiceSupport
import Synchronization
import TestSupport
import Wire

/// A server that plays auth-service and payment-service for workspace-service. Everybody exists, has the email
/// `<id>@example.com` and 100 coins unless told otherwise.
final class StubPeers: Sendable {
    /// How payment-service behaves.
    enum Payment: Sendable {
        case well
        /// Does nothing and answers 500.
        case failing
        /// Does what it is asked, and answers 500 to every reserve.
        case losingReplies
    }

    struct Reserve: Sendable, Equatable {
        let user: Int64
        let amount: Int
        var isReleased = false
    }

    struct State: Sendable {
        var nicknames: [Int64: String] = [:]
        var versions: [Int64: Int] = [:]
        /// Who has no account.
        var missing: Set<Int64> = []
        var isAuthDown = false
        var payment = Payment.well
        var balances: [Int64: Int] = [:]
        var reserves: [String: Reserve] = [:]
        /// Calls for profiles so far.
        var profileCalls = 0

        func balance(_ user: Int64) -> Int { balances[user] ?? 100 }
    }

    private final class Shared: Sendable {
        let value = Mutex(State())
    }

    let tokens = TokenIssuer()
    let port: UInt16
    private let loops = EventLoopGroup(count: 1)
    private let server: Server
    private let state: Shared

    init() throws {
        let (state, tokens) = (Shared(), tokens)
        self.state = state
        server = Server(on: loops) { request in
            let path = String(decoding: request.path, as: UTF8.self)
            let body = try await request.body.collect(upTo: 1 << 20)
            if path == "/internal/keys" { return .json(tokens.jwks) }
            let (status, text) = state.value.withLock { state in
                state.answer(path.split(separator: "/").map(String.init), try? JSONValue(parsing: body))
            }
            return .json(Array(text.utf8), Status(status))
        }
        port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
    }

    var url: String { "http://127.0.0.1:\(port)" }

    func change(_ change: (inout State) -> Void) { state.value.withLock { change(&$0) } }

    var now: State { state.value.withLock(\.self) }

    func stop() async {
        await server.stop()
        await onOwnThread { [loops] in loops.stop() }
    }
}

extension StubPeers.State {
    fileprivate typealias Answer = (status: UInt16, text: String)

    fileprivate mutating func answer(_ path: [String], _ body: JSONValue?) -> Answer {
        switch (path.dropFirst().first ?? "", path.last ?? "") {
        case ("revocations", _): return (200, #"{"now":\#(Timestamp.now.milliseconds),"revocations":[]}"#)
        case ("profiles", let last):
            profileCalls += 1
            if isAuthDown { return failure(500, "E99") }
            return last == "by-email" ? profiles(byEmail: body) : profiles(body)
        case ("reserves", _):
            if payment == .failing { return failure(500, "E99") }
            return path.count == 2 ? reserve(body) : release(path[2])
        default: return failure(404, "E13")
        }
    }

    private func failure(_ status: UInt16, _ code: String) -> Answer { (status, #"{"errorCode":"\#(code)"}"#) }

    private func profiles(_ body: JSONValue?) -> Answer {
        let ids = body?["ids"]?.elements?.compactMap { $0.string.flatMap { Int64($0) } } ?? []
        if ids.count > 1000 { return failure(422, "E11") }
        return list(ids.filter { !missing.contains($0) }.map { profile($0) })
    }

    private func profiles(byEmail body: JSONValue?) -> Answer {
        let emails = body?["emails"]?.elements?.compactMap(\.string) ?? []
        let found = emails.compactMap { email -> String? in
            guard email.hasSuffix("@example.com"), let user = Int64(email.prefix { $0 != "@" }),
                !missing.contains(user)
            else { return nil }
            return profile(user)
        }
        return list(found)
    }

    private func list(_ profiles: [String]) -> Answer { (200, #"{"profiles":[\#(profiles.joined(separator: ","))]}"#) }

    private func profile(_ id: Int64) -> String {
        let (name, version) = (nicknames[id] ?? "n\(id)", versions[id] ?? 1)
        return #"{"user_id":"\#(id)","email":"\#(id)@example.com","nickname":"\#(name)","version":\#(version)}"#
    }

    private mutating func reserve(_ body: JSONValue?) -> Answer {
        guard let key = body?["key"]?.string, let user = body?["user_id"]?.string.flatMap({ Int64($0) }),
            let amount = body?["amount"]?.int, body?["reason"]?.string != nil
        else { return failure(422, "E11") }
        guard balance(user) >= amount else { return failure(402, "E21") }
        balances[user] = balance(user) - amount
        reserves[key] = StubPeers.Reserve(user: user, amount: amount)
        if payment == .losingReplies { return failure(500, "E99") }
        return (200, #"{"key":"\#(key)","state":"reserved","balance":\#(balance(user))}"#)
    }

    private mutating func release(_ key: String) -> Answer {
        guard let reserve = reserves[key] else { return failure(404, "E13") }
        if !reserve.isReleased {
            balances[reserve.user] = balance(reserve.user) + reserve.amount
            reserves[key]?.isReleased = true
        }
        return (200, #"{"state":"released"}"#)
    }
}
