/// The nodes of a cluster and the slots of each, as one node knows them.
struct ClusterMap: Sendable, Equatable {
    /// A master and its replicas, which hold the same slots.
    struct SlotOwners: Sendable, Equatable {
        let master: ClusterNode
        /// Those that are up, in the order of their addresses.
        let replicas: [ClusterNode]

        func contains(_ node: ClusterNode) -> Bool { node == master || replicas.contains(node) }
    }

    /// The epoch of the cluster: it grows with each failover and each slot that moves.
    let epoch: Int64
    private(set) var groups: [SlotOwners]
    /// The index of the group of each slot; -1 for a slot that no node serves.
    private var indices: [Int16]

    /// Reads the reply to CLUSTER SLOTS.
    ///
    /// - Parameter node: the node that sent it: its host stands for an address without one.
    init(slots reply: RedisValue, epoch: Int64, from node: ClusterNode) throws(RedisError) {
        self.epoch = epoch
        var ranges: [(slots: ClosedRange<Int>, group: SlotOwners)] = []
        for range in try reply.requireArray() {
            let parts = try range.requireArray()
            guard parts.count >= 3 else { throw .unexpectedReply("a range of slots without a node") }
            let (first, last) = (try Int(parts[0].requireInteger()), try Int(parts[1].requireInteger()))
            guard first >= 0, first <= last, last < HashSlot.count else {
                throw .unexpectedReply("not a range of slots")
            }
            var nodes: [ClusterNode] = []
            for part in parts[2...] { nodes.append(try Self.node(part, namedBy: node)) }
            ranges.append((first...last, SlotOwners(master: nodes[0], replicas: nodes[1...].sorted())))
        }
        var groups: [SlotOwners] = []
        for (_, group) in ranges where !groups.contains(group) { groups.append(group) }
        self.groups = groups.sorted { $0.master < $1.master }
        indices = Array(repeating: -1, count: HashSlot.count)
        for (slots, group) in ranges {
            let index = Int16(self.groups.firstIndex(of: group) ?? -1)
            for slot in slots { indices[slot] = index }
        }
    }

    private static func node(_ reply: RedisValue, namedBy other: ClusterNode) throws(RedisError) -> ClusterNode {
        let parts = try reply.requireArray()
        guard parts.count >= 2, let port = UInt16(exactly: try parts[1].requireInteger()) else {
            throw .unexpectedReply("not a node of a cluster")
        }
        let host = parts[0].text ?? ""
        return ClusterNode(host: host.isEmpty || host == "?" ? other.host : host, port: port)
    }

    /// The nodes that hold a slot; nil if no node serves it.
    func owners(of slot: Int) -> SlotOwners? { indices[slot] < 0 ? nil : groups[Int(indices[slot])] }

    var masters: [ClusterNode] { groups.map(\.master) }
    var nodes: [ClusterNode] { groups.flatMap { [$0.master] + $0.replicas } }
    /// Whether a node serves each slot.
    var isComplete: Bool { !indices.contains(-1) }

    /// Whether the nodes and their slots are the same; epochs do not count.
    func isSame(as other: ClusterMap) -> Bool { groups == other.groups && indices == other.indices }

    /// The number of slots with another master in `other`.
    func slotsMoved(since other: ClusterMap) -> Int {
        (0..<HashSlot.count).count { owners(of: $0)?.master != other.owners(of: $0)?.master }
    }

    /// Gives a slot to a master: a node has refused a command and said so.
    mutating func assign(_ slot: Int, to master: ClusterNode) {
        guard indices.indices.contains(slot) else { return }
        var index = groups.firstIndex { $0.master == master }
        if index == nil {
            groups.append(SlotOwners(master: master, replicas: []))
            index = groups.count - 1
        }
        indices[slot] = Int16(index ?? -1)
    }
}
