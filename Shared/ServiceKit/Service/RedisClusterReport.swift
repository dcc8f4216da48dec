internal import Redis
internal import Synchronization
internal import Telemetry

/// Counts readings of the map of a Redis cluster and redirections, and logs each change of the map.
final class RedisClusterReport: Sendable {
    private let log: Log
    private let redirects: [String: Counter]
    private let refreshes: Counter
    private let failures: Counter
    private let nodes = Mutex((masters: 0, replicas: 0))

    init(_ metrics: MetricsRegistry, log: Log) {
        self.log = log
        redirects = Dictionary(
            uniqueKeysWithValues: ["moved", "ask", "tryagain", "clusterdown", "loading"].map { kind in
                let counter = metrics.counter(
                    "maru_redis_redirects_total",
                    "Commands that a node of the Redis cluster refused and that were sent again.",
                    labels: ["kind": kind])
                return (kind, counter)
            })
        let help: StaticString = "Readings of the map of the Redis cluster, by their outcome."
        refreshes = metrics.counter("maru_redis_map_refreshes_total", help, labels: ["outcome": "read"])
        failures = metrics.counter("maru_redis_map_refreshes_total", help, labels: ["outcome": "failed"])
        metrics.add(self)
    }

    func note(_ event: RedisClusterEvent) {
        switch event {
        case .redirected(let kind): redirects[kind]?.increment()
        case .refreshed: refreshes.increment()
        case .refreshFailed(let error):
            failures.increment()
            nodes.withLock { $0 = (0, 0) }
            log.warning("no node of the redis cluster returns the map of slots", ["cause": .cause(error)])
        case .changed(let masters, let replicas, let slotsMoved, let isComplete):
            nodes.withLock { $0 = (masters.count, replicas) }
            log.info(
                isComplete ? "the map of the redis cluster" : "the map of the redis cluster; some slots have no node",
                [
                    "masters": .name(masters.joined(separator: " ")), "replicas": .count(replicas),
                    "slots_moved": .count(slotsMoved),
                ])
        }
    }
}

extension RedisClusterReport: MetricsSource {
    func write(to page: inout MetricsPage) {
        let (masters, replicas) = nodes.withLock(\.self)
        page.begin("maru_redis_nodes", .gauge, "Nodes of the Redis cluster that serve slots, by role.")
        page.value(Double(masters), labels: ["role": "master"])
        page.value(Double(replicas), labels: ["role": "replica"])
    }
}
