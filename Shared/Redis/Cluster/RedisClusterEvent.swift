/// A reading or a change of the map of a cluster, or a redirection, for metrics and the log.
public enum RedisClusterEvent: Sendable {
    /// A node has refused a command, which is sent again: `moved`, `ask`, `tryagain`, `clusterdown` or `loading`.
    case redirected(String)
    /// The map was read.
    case refreshed
    /// The map has changed.
    case changed(masters: [String], replicas: Int, slotsMoved: Int, isComplete: Bool)
    /// No node has sent a map.
    case refreshFailed(RedisError)
}
