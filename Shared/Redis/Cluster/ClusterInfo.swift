internal import Wire

/// The reply of a node to CLUSTER INFO.
struct ClusterInfo: Equatable {
    /// The epoch of the cluster: it grows with each failover and each slot that moves.
    let epoch: Int64
    /// Whether the node executes commands. A master that has started again refuses them for two seconds.
    let isServing: Bool

    init(_ text: String) {
        var values: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        epoch = values["cluster_current_epoch"].flatMap { Int64($0) } ?? 0
        isServing = values["cluster_state"] == "ok"
    }
}
