import Contract
import EventLoop
import ServiceKit
import Telemetry

/// Reads of history, from the primary and from the replicas of `database_url`.
struct HistoryParts: Sendable {
    let reader: HistoryReader
    let knownDMs: KnownDMs?
    private let watch: ReplicaWatch?

    /// - Parameter nodes: all nodes of the cluster; empty if there is one server.
    init(
        _ service: ServiceBuilder, primary: HistoryStores, watched: PrimaryStore, nodes: [NodeStore],
        subscriber: MessageSubscriber
    ) {
        guard !nodes.isEmpty else {
            (reader, knownDMs, watch) = (HistoryReader(primary: primary, replicas: nil), nil, nil)
            return
        }
        let (state, metrics) = (PrimaryState(), ReplicaMetrics(service.metrics))
        let replicas = HistoryReplicas(nodes: nodes, primary: state, metrics: metrics, log: service.log)
        let dms = KnownDMs(primary: state, metrics: metrics)
        dms.follow(subscriber, on: service.loops.loops[0])
        reader = HistoryReader(primary: primary, replicas: replicas)
        knownDMs = dms
        watch = ReplicaWatch(replicas, primary: watched)
    }

    /// Starts the background work if there are replicas.
    func begin(in service: ServiceBuilder, _ conversations: Conversations) {
        guard let watch else { return }
        service.metrics.add(watch)
        service.background("replicas of postgres", every: .seconds(1), watch.look)
        service.background("deferred read markers", every: .seconds(1), conversations.advanceDeferredMarkers)
    }
}
