internal import EventLoop

/// One loop's connection to a master of a cluster, and whether the master executes commands.
///
/// A master that has started again accepts connections at once, but refuses commands with CLUSTERDOWN for two seconds, because another
/// one may have taken its place.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop, like `RedisLink`.
final class MasterLink: @unchecked Sendable {
    let link: RedisLink
    private(set) var history = ServerHistory()
    /// The connection at which the master has said that it executes commands.
    private var serving: RedisState?
    /// Whether it has taken another master's place and has not executed commands since.
    private var isSuccessor = false
    var onChange: ((Change) -> Void)?

    enum Change {
        /// The state has changed.
        case state
        /// The master executes commands again.
        case returned
        /// The master executes commands in place of another one.
        case succeeded
    }

    private static let probeInterval = Duration.milliseconds(50)

    init(_ link: RedisLink) { self.link = link }

    func start() {
        link.start()
        link.observe { [weak self] state in
            guard let self else { return .remove }
            changed(state)
            return state == .closed ? .remove : .keep
        }
    }

    func close() { link.close() }

    /// The state of the connection; it is connecting until the master executes commands.
    var state: RedisState { link.state.isConnected && serving != link.state ? .connecting : link.state }

    /// Whether the master is connected to again and does not execute commands yet. It carries messages of rooms all the same.
    var isRefusing: Bool { link.state.isConnected && !state.isConnected && history.isAway }

    /// The node is a master from now on, in place of another one.
    func succeed() {
        history.succeeded(at: link.loop.now, isServing: state.isConnected)
        isSuccessor = !state.isConnected
        if state.isConnected { onChange?(.succeeded) }
    }

    private func changed(_ state: RedisState) {
        switch state {
        case .connected: probe(state)
        case .lost:
            history.lost()
            onChange?(.state)
        case .connecting, .closed: onChange?(.state)
        }
    }

    private func probe(_ state: RedisState) {
        guard link.state == state else { return }
        link.send(
            RedisCommand("CLUSTER", "INFO"), within: nil,
            .closure { [weak self] outcome in
                guard let self, link.state == state else { return }
                guard case .success(let reply) = outcome, ClusterInfo(reply.text ?? "").isServing else {
                    link.loop.schedule(after: Self.probeInterval) { [weak self] in self?.probe(state) }
                    return
                }
                serving = state
                let hasReturned = history.serves(at: link.loop.now)
                onChange?(!hasReturned ? .state : isSuccessor ? .succeeded : .returned)
                isSuccessor = false
            })
    }
}
