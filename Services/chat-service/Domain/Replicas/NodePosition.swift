/// How far a node of the cluster has the log of the primary, in bytes from its beginning.
struct NodePosition: Sendable, Equatable {
    let isReplica: Bool
    /// The end of the log on its disk. Nil if it has received nothing since its start: the end is unknown then.
    let received: Int64?
    /// Up to here its readers see all commits.
    let replayed: Int64?

    /// The end of its log; nil if that is unknown.
    var end: Int64? {
        guard isReplica, let received, let replayed else { return nil }
        return max(received, replayed)
    }
}

/// Why no replica was read.
enum ReplicaRefusal: String, Error, CaseIterable {
    /// Commits do not wait for a replica, so none need have the messages that a client has seen.
    case asynchronous
    /// A node takes writes.
    case primary
    /// More than one node did not answer, or the ends of their logs are unknown.
    case unreachable
    /// Another replica has received more than this one shows.
    case behind
    /// Another replica lacks a part that this one shows: if that one becomes the primary, the part is lost.
    case unconfirmed
    /// This instance, or the client, knows a newer message or change than the replica has.
    case older
    /// The access of the caller to the room is not known.
    case access
    /// The read itself failed.
    case failed
}

/// Chooses the replica that shows all acknowledged commits, or none.
///
/// A commit is acknowledged only after a replica has it on its disk. One node may be missing, because it is the primary or was it
/// until now; of the others, one has each acknowledged commit. A replica that has replayed as much as any of them has received
/// therefore shows all of them.
///
/// A replica also shows commits that were never acknowledged, and a failover to one that lacks them gives their seqs to other
/// messages, which their readers would never get. So nothing is read that another replica lacks.
enum ReplicaChoice {
    /// The node to read, and the position up to which it has replayed the log before the read.
    static func best(of positions: [NodePosition?]) throws(ReplicaRefusal) -> (node: Int, replayed: Int64) {
        try requireMost(of: positions)
        var found: (node: Int, replayed: Int64)?
        for (node, position) in positions.enumerated() where position?.end != nil {
            guard let replayed = position?.replayed, replayed > found?.replayed ?? -1 else { continue }
            found = (node, replayed)
        }
        guard let best = found else { throw .unreachable }
        try check(best.replayed, against: positions)
        return best
    }

    /// Checks a read that saw everything up to `replayed`, by positions that were asked for after it: each commit acknowledged before
    /// they were asked for has been received by one of the nodes.
    static func check(_ replayed: Int64, against positions: [NodePosition?]) throws(ReplicaRefusal) {
        try requireMost(of: positions)
        guard positions.allSatisfy({ $0?.end ?? 0 <= replayed }) else { throw .behind }
        guard positions.allSatisfy({ $0?.end ?? replayed >= replayed }) else { throw .unconfirmed }
    }

    private static func requireMost(of positions: [NodePosition?]) throws(ReplicaRefusal) {
        guard positions.allSatisfy({ $0?.isReplica != false }) else { throw .primary }
        guard positions.count > 1, positions.count(where: { $0?.end != nil }) >= positions.count - 1 else {
            throw .unreachable
        }
    }
}
