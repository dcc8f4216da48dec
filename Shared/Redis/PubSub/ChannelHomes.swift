/// The node that each shard channel is subscribed to at.
///
/// It is a replica while one is up: a replica gets the same messages as its master, and survives its end.
struct ChannelHomes {
    /// The consequence of a change for a channel.
    enum Change: Equatable {
        /// Another node has the slot, or the node is down.
        case move([UInt8], from: ClusterNode?, to: ClusterNode)
        /// Another master has taken over, or the master has come back: messages that it had accepted may be lost.
        case interrupt([UInt8], at: ClusterNode)
    }

    private struct Channel {
        let slot: Int
        var home: ClusterNode?
        var master: ClusterNode?
    }

    private(set) var map: ClusterMap?
    private var channels: [[UInt8]: Channel] = [:]
    private var down: Set<ClusterNode> = []
    /// Spreads the processes over the replicas.
    private let number: Int

    init(number: Int) { self.number = number }

    func home(of channel: [UInt8]) -> ClusterNode? { channels[channel]?.home }

    /// Adds a channel; returns its home, or nil until the map has one.
    mutating func add(_ name: [UInt8]) -> ClusterNode? {
        if let known = channels[name] { return known.home }
        var channel = Channel(slot: HashSlot.of(name))
        place(&channel)
        channels[name] = channel
        return channel.home
    }

    mutating func remove(_ name: [UInt8]) { channels[name] = nil }

    /// Uses a new map.
    mutating func use(_ map: ClusterMap) -> [Change] {
        self.map = map
        return placeAll()
    }

    /// A node has lost its connection, or has one again. Channels that wait at a node without one move to it then.
    mutating func note(_ node: ClusterNode, isDown: Bool) -> [Change] {
        guard isDown != down.contains(node) else { return [] }
        if isDown { down.insert(node) } else { down.remove(node) }
        return placeAll()
    }

    /// A master executes commands again after a loss. Meanwhile it may have accepted messages that it could not send to its replicas.
    func returned(_ master: ClusterNode) -> [Change] {
        channels.compactMap { name, channel in
            // The connection of a channel at the master itself was lost as well.
            guard channel.master == master, let home = channel.home, home != master else { return nil }
            return .interrupt(name, at: home)
        }
    }

    /// A node has refused a channel because another one has its slot.
    mutating func assign(_ slot: Int, to node: ClusterNode) -> [Change] {
        if map?.owners(of: slot)?.contains(node) != true { map?.assign(slot, to: node) }
        return placeAll()
    }

    private mutating func placeAll() -> [Change] {
        var changes: [Change] = []
        for name in Array(channels.keys) {
            guard var channel = channels[name] else { continue }
            let old = channel
            place(&channel)
            channels[name] = channel
            guard let home = channel.home else { continue }
            if home != old.home {
                changes.append(.move(name, from: old.home, to: home))
            } else if channel.master != old.master {
                changes.append(.interrupt(name, at: home))
            }
        }
        return changes
    }

    /// A channel without a node stays where it is.
    private func place(_ channel: inout Channel) {
        guard let owners = map?.owners(of: channel.slot) else { return }
        channel.master = owners.master
        if let home = channel.home, owners.contains(home), !down.contains(home) { return }
        let replicas = owners.replicas
        let ordered = replicas.indices.map { replicas[($0 + number) % replicas.count] } + [owners.master]
        channel.home = ordered.first { !down.contains($0) } ?? ordered[0]
    }
}
