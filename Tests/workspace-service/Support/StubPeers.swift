import HTTP
import ServiceSupport
import Wire

/// A stub of auth-service, chat-service and payment-service.
typealias StubPeers = StubServer<PeersOfWorkspaces>

/// By default every user exists, has the email `<id>@example.com` and 100 coins.
struct PeersOfWorkspaces: StubState {
    /// The behaviour of payment-service.
    enum Payment: Sendable {
        case well
        /// Answers 500 without any effect.
        case failing
        /// Reserves the coins, but answers 500.
        case losingReplies
    }

    struct Reserve: Sendable, Equatable {
        let user: Int64
        let amount: Int
        var isReleased = false
    }

    var nicknames: [Int64: String] = [:]
    var versions: [Int64: Int] = [:]
    /// Users without an account.
    var missing: Set<Int64> = []
    var isAuthDown = false
    var payment = Payment.well
    var balances: [Int64: Int] = [:]
    var reserves: [String: Reserve] = [:]
    /// The reported erasures: user and round.
    var erased: [String] = []
    /// The users that have a second factor.
    var withSecondFactor: Set<Int64> = []
    /// The notices by mail: user, kind, detail and key. While `isNoticeDown`, they are refused after they were taken.
    var noticed: [String] = []
    var isNoticeDown = false
    /// Whether auth-service sends mail.
    var sendsMail = true
    /// The muted and suspended members of all workspaces.
    var muted: Set<Int64> = []
    /// Whether chat-service is of a release that does not tell them.
    var knowsNoWriters = false
    /// The number of bots that were made.
    var madeBots: Int64 = 0
    var endedBots: Set<Int64> = []
    /// The number of tokens of bots that were made. Their replies wait while `holdsTokens`.
    var madeTokens = 0
    var holdsTokens = false
    /// The ended tokens: bot and token.
    var endedTokens: [String] = []
    /// The number of calls for profiles.
    var profileCalls = 0

    func balance(_ user: Int64) -> Int { balances[user] ?? 100 }

    func isHolding(_ call: StubCall) -> Bool {
        holdsTokens && call.method == "POST" && call.subject == ("bots", "tokens")
    }

    mutating func answer(_ call: StubCall) -> Response? {
        switch call.subject {
        case ("profiles", let last):
            profileCalls += 1
            if isAuthDown { return .refusal(500, "E99") }
            return last == "by-email" ? profiles(byEmail: call.texts("emails")) : profiles(call.ids("ids"))
        case ("reserves", _):
            if payment == .failing { return .refusal(500, "E99") }
            return call.parts.count == 2 ? reserve(call) : release(call.parts[2])
        case ("second-factors", _):
            return .list("ids", call.ids("ids").filter(withSecondFactor.contains).map { "\"\($0)\"" })
        case ("notices", _):
            noticed.append(
                [call.text("user_id"), call.text("kind"), call.text("detail"), call.text("key")]
                    .compactMap(\.self).joined(separator: " "))
            return isNoticeDown ? .refusal(500, "E99") : .json("{}")
        case ("workspaces", "writers"):
            if knowsNoWriters { return .refusal(404, "E97") }
            return .list("ids", call.ids("ids").filter { !muted.contains($0) }.map { "\"\($0)\"" })
        case ("bots", let last): return bots(call, last)
        case ("mail", _): return .json(#"{"set_up":\#(sendsMail)}"#)
        case ("erasures", _) where call.method == "GET":
            return .json(#"{"requested_at":1,"waiting":[],"addresses":["\#(call.number)@example.com"]}"#)
        case ("erasures", _):
            erased.append("\(call.number) \(call.json?["round"]?.int ?? 0)")
            return .json("{}")
        default: return nil
        }
    }

    /// Every bot has the token 4.
    private mutating func bots(_ call: StubCall, _ last: String) -> Response {
        let token =
            #"{"id":4,"name":"t","prefix":"maru_bot_abc","scopes":["read"],"created_at":1}"#
        switch (call.method, last) {
        case ("GET", "tokens"): return .json(#"{"tokens":[\#(token)]}"#)
        case (_, "tokens"):
            madeTokens += 1
            return .json(token)
        case (_, "end") where call.parts.contains("tokens"):
            if call.text("hash") == nil { endedTokens.append("\(call.number) \(call.parts[4])") }
            return .json(token)
        case (_, "end"):
            endedBots.insert(call.number)
            return .json("{}")
        case (_, "bots"):
            madeBots += 1
            return .json(#"{"user_id":"\#(5000 + madeBots)"}"#)
        default: return .json("{}")
        }
    }

    private func profiles(_ ids: [Int64]) -> Response {
        if ids.count > 1000 { return .refusal(422, "E11") }
        return .list("profiles", ids.filter { !missing.contains($0) }.map { profile($0) })
    }

    private func profiles(byEmail emails: [String]) -> Response {
        let found = emails.compactMap { email -> String? in
            guard email.hasSuffix("@example.com"), let user = Int64(email.prefix { $0 != "@" }),
                !missing.contains(user)
            else { return nil }
            return profile(user)
        }
        return .list("profiles", found)
    }

    private func profile(_ id: Int64) -> String {
        StubJSON.profile(id, nickname: nicknames[id] ?? "n\(id)", version: versions[id] ?? 1)
    }

    private mutating func reserve(_ call: StubCall) -> Response {
        guard let key = call.text("key"), let user = call.id("user_id"), let amount = call.json?["amount"]?.int,
            call.text("reason") != nil
        else { return .refusal(422, "E11") }
        guard balance(user) >= amount else { return .refusal(402, "E21") }
        balances[user] = balance(user) - amount
        reserves[key] = Reserve(user: user, amount: amount)
        if payment == .losingReplies { return .refusal(500, "E99") }
        return .json(#"{"key":"\#(key)","state":"reserved","balance":\#(balance(user))}"#)
    }

    private mutating func release(_ key: String) -> Response {
        guard let reserve = reserves[key] else { return .refusal(404, "E13") }
        if !reserve.isReleased {
            balances[reserve.user] = balance(reserve.user) + reserve.amount
            reserves[key]?.isReleased = true
        }
        return .json(#"{"state":"released"}"#)
    }
}
