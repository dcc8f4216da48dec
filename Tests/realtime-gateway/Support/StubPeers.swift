import Contract
import EventLoop
import HTTP
import ServiceSupport
import Synchronization
import TestSupport
import Wire

/// A server that plays auth-, workspace- and chat-service, and the provider of pushes, for the gateway.
final class StubPeers: Sendable {
    struct State: Sendable {
        /// Members of each channel; the workspace's others see it. All are in workspace 3.
        var channels: [Int64: Set<Int64>] = [7: Set(1...60), 8: Set(1...60)]
        var workspace: Set<Int64> = Set(1...80)
        /// The two of each DM, and whether both are still in the workspace.
        var dms: [Int64: (users: [Int64], isOpen: Bool)] = [5: ([1, 2], true)]
        var messages: [RoomID: [RoomMessage]] = [:]
        /// How far history replies went of which Redis was not told, by session.
        var told: [Int64: Int64] = [:]
        /// Every call, as `METHOD path`.
        var calls: [String] = []
        /// Rooms asked for in each comparison of heads.
        var comparisons: [[String]] = []
        var revocations: [(session: Int64, user: Int64)] = []
        var devices: [Int64: [String]] = [:]
        var pruned: [String] = []
        /// Pushes that the provider was sent, by device.
        var pushes: [(device: String, message: JSONValue)] = []
        /// What the provider answers next, before it takes anything: status, error code and Retry-After.
        var refusals: [(status: UInt16, code: String, retryAfter: String?)] = []
        var isAway = false
        /// Whether answers on who may see what are made, but do not leave yet.
        var isHoldingAccess = false
        /// How long a comparison of heads waits before it is made, and whether it fails.
        var headsTake = Duration.zero
        var headsAway = false
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
            let query = request.query.map { String(decoding: $0, as: UTF8.self) } ?? ""
            let body = try await request.body.collect(upTo: 1_000_000)
            if path == "/internal/keys" { return .json(tokens.jwks) }
            let areHeads = path == "/internal/rooms/heads"
            if areHeads { try await Task.sleep(for: state.value.withLock(\.headsTake)) }
            let response = state.value.withLock { state -> Response in
                state.calls.append("\(request.method.rawValue) \(path)")
                let isAway = state.isAway || areHeads && state.headsAway
                if isAway { return .json(Array(#"{"errorCode":"E99"}"#.utf8), Status(503)) }
                if path.hasSuffix("messages:send") { return state.push(body) }
                let answer = state.answer(
                    path.split(separator: "/").map(String.init), query, (try? JSONValue(parsing: body)))
                return answer.map { .json(Array($0.utf8)) } ?? .json(Array(#"{"errorCode":"E13"}"#.utf8), Status(404))
            }
            // What was found out is told later.
            while path == "/internal/access", state.value.withLock({ $0.isHoldingAccess }) {
                try await Task.sleep(for: .milliseconds(5))
            }
            return response
        }
        port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
    }

    var url: String { "http://127.0.0.1:\(port)" }

    @discardableResult
    func change<Value: Sendable>(_ change: (inout sending State) -> sending Value) -> Value {
        state.value.withLock { change(&$0) }
    }

    /// How often a path has been asked.
    func count(_ path: String) -> Int { state.value.withLock { $0.calls.count { $0.hasSuffix(path) } } }

    var now: State { state.value.withLock(\.self) }

    func stop() async {
        await server.stop()
        await onOwnThread { [loops] in loops.stop() }
    }
}

extension StubPeers.State {
    /// Writes a message into a room as chat-service would.
    mutating func write(_ text: String, in room: RoomID, by author: Int64, session: Int64) -> RoomMessage {
        let message = RoomMessage(
            room: room, workspace: WorkspaceID(3), name: room.kind == .channel ? "general" : nil,
            body: MessageBody(
                id: ChatID(Int64(messages[room]?.count ?? 0) + 1000), seq: Int64(messages[room]?.count ?? 0) + 1,
                content: text, createdAt: .now, files: [],
                author: MemberView(
                    id: UserID(author), email: "\(author)@b.kr", nickname: "n\(author)", profileImage: nil)
            ),
            session: SessionID(session))
        messages[room, default: []].append(message)
        return message
    }

    /// What a call of the internal API replies; nil for 404.
    fileprivate mutating func answer(_ path: [String], _ query: String, _ body: JSONValue?) -> String? {
        let user = body?["user_id"]?.string.flatMap { Int64($0) } ?? 0
        switch (path.count > 1 ? path[1] : "", path.last ?? "") {
        case ("revocations", _):
            let list = revocations.map { #"{"session":"\#($0.session)","user_id":"\#($0.user)","at":1}"# }
            return #"{"now":\#(Timestamp.now.milliseconds),"revocations":[\#(list.joined(separator: ","))]}"#
        case ("devices", "prune"):
            pruned.append(body?["token"]?.string ?? "")
            return "{}"
        case ("devices", _):
            let list = ids(body, "ids").flatMap { id in
                devices[id, default: []].map { #"{"user_id":"\#(id)","token":"\#($0)"}"# }
            }
            return #"{"devices":[\#(list.joined(separator: ","))]}"#
        case ("access", _):
            let seen = ids(body, "channels").compactMap { element($0, user) }
            let theirs = ids(body, "workspaces").filter { $0 == 3 && workspace.contains(user) }
                .map { #"{"workspace_id":"\#($0)","role":"member","version":1}"# }
            return #"{"channels":[\#(seen.joined(separator: ","))],"workspaces":[\#(theirs.joined(separator: ","))]}"#
        case ("channels", "members"):
            let all = channels[Int64(path[2]) ?? 0, default: []].sorted()
            return #"{"members":[\#(all.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        case ("dms", "access"):
            let mine = ids(body, "rooms").compactMap { id -> String? in
                guard let dm = dms[id], dm.users.contains(user) else { return nil }
                let users = dm.users.map { "\"\($0)\"" }.joined(separator: ",")
                return #"{"room_id":"\#(id)","workspace_id":"3","users":[\#(users)],"open":\#(dm.isOpen)}"#
            }
            return #"{"dms":[\#(mine.joined(separator: ","))]}"#
        case ("rooms", "heads"):
            let rooms = body?["rooms"]?.elements?.compactMap(\.string) ?? []
            comparisons.append(rooms)
            let heads = rooms.compactMap { name -> String? in
                RoomID(name).flatMap { messages[$0]?.last }.map { #"{"room":"\#(name)","seq":\#($0.body.seq)}"# }
            }
            return #"{"heads":[\#(heads.joined(separator: ","))]}"#
        case ("rooms", _) where path.count == 5 && path[3] == "positions":
            return #"{"seq":\#(told[Int64(path[4]) ?? 0] ?? 0)}"#
        case ("rooms", "messages"): return RoomID(path[2]).map { since($0, query) }
        case ("token", _), (_, "token"): return #"{"access_token":"t","expires_in":3600}"#
        default: return nil
        }
    }

    private func since(_ room: RoomID, _ query: String) -> String {
        let parameters = QueryParameters(Array(query.utf8)[...])
        let after = parameters?["after_seq"].flatMap { Int64($0) } ?? 0
        let limit = parameters?["limit"].flatMap { Int($0) } ?? 500
        let all = messages[room] ?? []
        let found = all.filter { $0.body.seq > after }.prefix(limit)
            .map { String(decoding: RoomEvent.message($0).encoded(), as: UTF8.self) }
        let head = all.last?.body.seq ?? 0
        return #"{"complete":true,"head":\#(head),"events":[\#(found.joined(separator: ","))]}"#
    }

    private func ids(_ body: JSONValue?, _ name: String) -> [Int64] {
        body?[named: name]?.elements?.compactMap { $0.string.flatMap { Int64($0) } } ?? []
    }

    private func element(_ id: Int64, _ user: Int64) -> String? {
        guard let members = channels[id], workspace.contains(user) else { return nil }
        let role = members.contains(user) ? "member" : "visible"
        return
            #"{"channel_id":"\#(id)","workspace_id":"3","name":"general","role":"\#(role)","default":false,"version":1}"#
    }

    fileprivate mutating func push(_ body: [UInt8]) -> Response {
        if !refusals.isEmpty {
            let refusal = refusals.removeFirst()
            let error = #"{"error":{"code":\#(refusal.status),"details":[{"errorCode":"\#(refusal.code)"}]}}"#
            var response = Response.json(Array(error.utf8), Status(refusal.status))
            if let retryAfter = refusal.retryAfter { response.headers.append(.retryAfter, retryAfter) }
            return response
        }
        if let message = (try? JSONValue(parsing: body))?["message"] {
            pushes.append((message["token"]?.string ?? "", message))
        }
        return .json(Array(#"{"name":"projects/p/messages/1"}"#.utf8))
    }
}
