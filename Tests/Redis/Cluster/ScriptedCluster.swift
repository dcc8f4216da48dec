import EventLoop
import Synchronization

@testable import Redis

/// Two servers that answer like the masters of a cluster, for replies that a real one gives only at certain moments. All
/// slots are those of the first, until `serve` says otherwise.
final class ScriptedCluster: Sendable {
    /// Answers a command of a connection to a node; nil for the usual answer.
    typealias Answer = @Sendable (_ node: Int, _ command: [String]) -> String?

    private struct State {
        var ports: [UInt16] = []
        var log: [String] = []
        /// The slots in the map, and the node that has them.
        var slots = 0...HashSlot.count - 1
        var owner = 0
        var replicas: [Int] = []
    }

    private let state = Mutex(State())
    private let servers = Mutex<[ScriptedServer]>([])

    /// Listens on `loop`; call it there.
    init(on loop: EventLoop, answer: @escaping Answer) throws {
        for node in 0..<2 {
            let server = try ScriptedServer(on: loop) { [unowned self] _, input in
                Self.commands(of: input).map { reply(to: $0, at: node, answer) }.joined()
            }
            state.withLock { $0.ports.append(server.port) }
            servers.withLock { $0.append(server) }
        }
    }

    /// The address of a node.
    func address(_ node: Int) -> String { "127.0.0.1:\(state.withLock { $0.ports[node] })" }

    var url: String { "redis+cluster://\(address(0))" }

    /// The commands so far that have no usual answer: `0 GET key` is one of the first node.
    var log: [String] { state.withLock(\.log) }

    /// From now on, the map says that a node and its replicas have these slots, and that no node has any other.
    func serve(_ slots: ClosedRange<Int> = 0...HashSlot.count - 1, at node: Int = 0, replicas: [Int] = []) {
        state.withLock { state in
            state.slots = slots
            state.owner = node
            state.replicas = replicas
        }
    }

    func stop() { for server in servers.withLock(\.self) { server.stop() } }

    private func reply(to command: [String], at node: Int, _ answer: Answer) -> String {
        switch command {
        case ["PING"]: return "+PONG\r\n"
        case ["CLUSTER", "INFO"]:
            let text = "cluster_state:ok\r\ncluster_current_epoch:1\r\n"
            return "$\(text.utf8.count)\r\n\(text)\r\n"
        case ["CLUSTER", "SLOTS"]:
            let (slots, ports) = state.withLock { state in
                (state.slots, ([state.owner] + state.replicas).map { state.ports[$0] })
            }
            return "*1\r\n*\(2 + ports.count)\r\n:\(slots.lowerBound)\r\n:\(slots.upperBound)\r\n"
                + ports.map { "*2\r\n$9\r\n127.0.0.1\r\n:\($0)\r\n" }.joined()
        default:
            state.withLock { $0.log.append("\(node) \(command.joined(separator: " "))") }
            return answer(node, command) ?? "+OK\r\n"
        }
    }

    private static func commands(of input: String) -> [[String]] {
        var lines = input.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        var commands: [[String]] = []
        while let head = lines.popFirst(), head.first == "*", let count = Int(head.dropFirst()) {
            commands.append(
                (0..<count).map { _ in
                    lines = lines.dropFirst()
                    return String(lines.popFirst() ?? "")
                })
        }
        return commands
    }

    /// A message of a connection with shard channels.
    static func push(_ kind: String, _ channel: String) -> String {
        "*3\r\n$\(kind.utf8.count)\r\n\(kind)\r\n$\(channel.utf8.count)\r\n\(channel)\r\n:1\r\n"
    }
}
