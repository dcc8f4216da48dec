import EventLoop
import Synchronization
import Telemetry

/// Asks the primary and all nodes every second how far they have the log, for the metrics page, and notices when the
/// primary does not answer.
final class ReplicaWatch: Sendable {
    private struct Node {
        var answers = false
        var lag: UInt64 = 0
    }

    private struct State {
        var lags = ReplicationLag()
        var nodes: [Node]
    }

    private let replicas: HistoryReplicas
    private let primary: PrimaryStore
    private let state: Mutex<State>

    init(_ replicas: HistoryReplicas, primary: PrimaryStore) {
        self.replicas = replicas
        self.primary = primary
        state = Mutex(State(nodes: replicas.nodes.map { _ in Node() }))
    }

    /// Called every second.
    func look() async {
        if let position = await primary.position() {
            replicas.primaryAnswered(isSynchronous: position.isSynchronous)
            state.withLock { $0.lags.note(position.end, at: EventLoop.preciseNow) }
        } else {
            replicas.primaryFailed()
        }
        let positions = await replicas.positions()
        let now = EventLoop.preciseNow
        state.withLock { state in
            for (index, position) in positions.enumerated() {
                state.nodes[index].answers = position != nil
                guard let position else { continue }
                // A node that takes writes has no lag. One that has replayed nothing yet keeps its last one.
                if !position.isReplica { state.nodes[index].lag = 0 }
                if position.isReplica, let replayed = position.replayed {
                    state.nodes[index].lag = state.lags.lag(of: replayed, at: now)
                }
            }
        }
    }
}

extension ReplicaWatch: MetricsSource {
    func write(to page: inout MetricsPage) {
        let nodes = Array(zip(replicas.nodes, state.withLock(\.nodes)))
        page.begin("maru_replica_up", .gauge, "Whether a node of Postgres has answered the last question.")
        for (node, found) in nodes { page.value(found.answers ? 1 : 0, labels: ["host": node.host]) }
        page.begin(
            "maru_replica_lag_seconds", .gauge, "Seconds since the primary was where the node is; 0 for the primary.")
        for (node, found) in nodes { page.value(Double(found.lag) / 1e9, labels: ["host": node.host]) }
    }
}
