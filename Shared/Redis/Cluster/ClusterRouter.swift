internal import Wire

/// Chooses the node of a command, and the step after a refusal.
struct ClusterRouter {
    /// The next step of a command.
    enum Step: Equatable {
        /// Send it, after ASKING if `asking`.
        case send(to: ClusterNode, asking: Bool)
        /// Send it after a pause to the node that has its slot then.
        case sendLater(Duration)
        /// The caller gets the refusal.
        case fail
    }

    private(set) var map: ClusterMap?
    /// The node of commands without a key: one for all of a loop, so that its hints stay in order.
    private(set) var home: ClusterNode?

    /// The most redirections that a command follows.
    static let mostRedirections = 5
    /// A slot on its way needs about a millisecond for each key.
    static let pauseOfSlot = Duration.milliseconds(10)
    /// A failover needs seconds.
    static let pauseOfCluster = Duration.milliseconds(100)

    /// Uses a new map. `number` spreads the loops over the nodes.
    mutating func use(_ map: ClusterMap, number: Int) {
        self.map = map
        let masters = map.masters
        if let home, masters.contains(home) { return }
        home = masters.isEmpty ? nil : masters[number % masters.count]
    }

    /// The node of a slot, or of a command without a key; nil if no node serves it as far as is known.
    func node(for slot: Int?) -> ClusterNode? {
        guard let slot else { return home }
        return map?.owners(of: slot)?.master
    }

    /// The step after a refusal.
    ///
    /// - Parameters:
    ///   - redirections: how many the command has followed.
    ///   - left: the time until its deadline.
    mutating func step(after refusal: ClusterRefusal, redirections: Int, left: Duration) -> Step {
        switch refusal {
        case .moved(let slot, let node):
            map?.assign(slot, to: node)
            return redirections < Self.mostRedirections ? .send(to: node, asking: false) : .fail
        case .ask(_, let node):
            // The map stays: until the whole slot has moved, its master answers first.
            return redirections < Self.mostRedirections ? .send(to: node, asking: true) : .fail
        case .tryAgain: return left > Self.pauseOfSlot ? .sendLater(Self.pauseOfSlot) : .fail
        case .clusterDown, .loading: return left > Self.pauseOfCluster ? .sendLater(Self.pauseOfCluster) : .fail
        }
    }
}
