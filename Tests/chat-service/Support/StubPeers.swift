import EventLoop
import HTTP
import ServiceSupport
import Synchronization
import TestSupport
import Wire

/// A server that plays auth-service and workspace-service for chat-service.
final class StubPeers: Sendable {
    struct Channel: Sendable {
        let workspace: Int64
        let name: String
        var members: Set<Int64>
    }

    struct State: Sendable {
        /// Who is in which workspace.
        var workspaces: [Int64: Set<Int64>] = [3: [1, 2, 3, 4, 5, 6], 4: [1, 2]]
        var channels: [Int64: Channel] = [
            7: Channel(workspace: 3, name: "general", members: [1, 2, 3, 4]),
            8: Channel(workspace: 3, name: "random", members: [1]),
            9: Channel(workspace: 4, name: "general", members: [1]),
        ]
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
            let body = try await request.body.collect(upTo: 65_536)
            if path == "/internal/keys" { return .json(tokens.jwks) }
            if path == "/internal/revocations" {
                return .json(Array(#"{"now":\#(Timestamp.now.milliseconds),"revocations":[]}"#.utf8))
            }
            let answer = state.value.withLock { state in
                state.answer(path.split(separator: "/").map(String.init), query, (try? JSONValue(parsing: body)))
            }
            return answer.map { .json(Array($0.utf8)) } ?? .json(Array(#"{"errorCode":"E13"}"#.utf8), Status(404))
        }
        port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Changes who is where; nobody is told.
    func change(_ change: (inout State) -> Void) { state.value.withLock { change(&$0) } }

    var now: State { state.value.withLock(\.self) }

    func stop() async {
        await server.stop()
        await onOwnThread { [loops] in loops.stop() }
    }
}

extension StubPeers.State {
    /// What a call of the internal API replies; nil for 404.
    fileprivate mutating func answer(_ path: [String], _ query: String, _ body: JSONValue?) -> String? {
        let user = body?["user_id"]?.string.flatMap { Int64($0) } ?? 0
        let number = path.count > 2 ? Int64(path[2]) ?? 0 : 0
        switch (path.count > 1 ? path[1] : "", path.last ?? "") {
        case ("revocations", _): return #"{"now":\#(Timestamp.now.milliseconds),"revocations":[]}"#
        case ("profiles", _): return profiles(ids(body, "ids"))
        case ("access", _): return access(user, ids(body, "channels"), ids(body, "workspaces"))
        case ("channels", "join"):
            guard let channel = channels[number], workspaces[channel.workspace]?.contains(user) == true else {
                return nil
            }
            channels[number]?.members.insert(user)
            return element(number, user)
        case ("workspaces", "by-name"):
            let parameters = QueryParameters(Array(query.utf8)[...])
            guard let name = parameters?["name"], let user = parameters?["user_id"].flatMap({ Int64($0) }),
                let found = channels.first(where: { $0.value.workspace == number && $0.value.name == name })
            else { return nil }
            return element(found.key, user)
        case ("users", "channels"):
            let mine = channels.filter { $0.value.workspace == 3 && $0.value.members.contains(number) }.keys.sorted()
            return #"{"channels":[\#(mine.compactMap { element($0, number) }.joined(separator: ","))]}"#
        default: return nil
        }
    }

    private func ids(_ body: JSONValue?, _ name: String) -> [Int64] {
        body?[named: name]?.elements?.compactMap { $0.string.flatMap { Int64($0) } } ?? []
    }

    private func profiles(_ ids: [Int64]) -> String {
        let list = ids.map { #"{"user_id":"\#($0)","email":"\#($0)@example.com","nickname":"n\#($0)","version":1}"# }
        return #"{"profiles":[\#(list.joined(separator: ","))]}"#
    }

    private func access(_ user: Int64, _ channels: [Int64], _ workspaces: [Int64]) -> String {
        let theirs = workspaces.filter { self.workspaces[$0]?.contains(user) == true }
            .map { #"{"workspace_id":"\#($0)","role":"member","version":1}"# }
        let seen = channels.compactMap { element($0, user) }
        return #"{"channels":[\#(seen.joined(separator: ","))],"workspaces":[\#(theirs.joined(separator: ","))]}"#
    }

    private func element(_ id: Int64, _ user: Int64) -> String? {
        guard let channel = channels[id], workspaces[channel.workspace]?.contains(user) == true else { return nil }
        let role = channel.members.contains(user) ? "member" : "visible"
        return
            #"{"channel_id":"\#(id)","workspace_id":"\#(channel.workspace)","name":"\#(channel.name)","role":"\#(role)","default":false,"version":1}"#
    }
}
