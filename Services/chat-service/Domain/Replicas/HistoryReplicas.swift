import Contract
import ServiceKit
import Telemetry
import Wire

/// Reads history from a replica while the primary does not answer, and only if it shows all that any client may have seen.
final class HistoryReplicas: Sendable {
    let nodes: [NodeStore]
    let primary: PrimaryState
    let heads = KnownHeads()
    let metrics: ReplicaMetrics
    private let log: Log

    init(nodes: [NodeStore], primary: PrimaryState, metrics: ReplicaMetrics, log: Log) {
        self.nodes = nodes
        self.primary = primary
        self.metrics = metrics
        self.log = log
    }

    /// The result of `body` with the stores of a replica; nil if no replica may be read.
    ///
    /// - Parameter seen: the part that the client has seen.
    func read<Value: Sendable>(
        _ room: RoomKey, seen: SeenPart, _ body: (HistoryStores) async throws -> Value
    ) async -> (value: Value, stores: HistoryStores)? {
        do {
            let found = try await attempt(room, seen, body)
            metrics.countServed()
            return found
        } catch {
            metrics.count(error as? ReplicaRefusal ?? .failed)
            return nil
        }
    }

    private func attempt<Value: Sendable>(
        _ room: RoomKey, _ seen: SeenPart, _ body: (HistoryStores) async throws -> Value
    ) async throws -> (value: Value, stores: HistoryStores) {
        guard primary.isSynchronous else { throw ReplicaRefusal.asynchronous }
        let best = try ReplicaChoice.best(of: await positions())
        let stores = nodes[best.node].history
        let head = try await stores.messages.fullHead(of: room).head
        let newest = seen.moment == nil ? nil : try await stores.messages.newest(of: room)
        guard heads.allow(head, of: room.id), seen.isWithin(head, newest: newest) else { throw ReplicaRefusal.older }
        let value = try await body(stores)
        try ReplicaChoice.check(best.replayed, against: await positions())
        return (value, stores)
    }

    /// The positions of all nodes, in their order.
    func positions() async -> [NodePosition?] {
        await withTaskGroup(of: (Int, NodePosition?).self) { group in
            for (index, node) in nodes.enumerated() { group.addTask { (index, await node.position()) } }
            var positions = [NodePosition?](repeating: nil, count: nodes.count)
            for await (index, position) in group { positions[index] = position }
            return positions
        }
    }

    /// The watch got no answer.
    func primaryFailed() {
        if primary.failed() {
            log.warning("the primary does not answer; history is read from replicas that have all of it")
        }
    }

    func primaryAnswered(isSynchronous: Bool) {
        if primary.answered(isSynchronous: isSynchronous) { log.info("the primary answers; history is read from it") }
    }
}
