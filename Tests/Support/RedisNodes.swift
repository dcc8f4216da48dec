/// A private cluster of six Redis 7 servers for tests: three masters and a replica of each.
public final class RedisNodes: Sendable {
    /// The first three are the masters at first, and the replica of each is three places after it.
    public let nodes: [RedisServer]

    private static let once = Once<RedisNodes>()
    private static let slots = [(0, 5460), (5461, 10922), (10923, 16383)]

    /// The cluster that is shared by tests that leave it as it was; use unique keys and channels.
    public static func ofThisProcess() async throws -> RedisNodes {
        try await once.value {
            let cluster = try await start()
            // On a machine that stands still no replica takes over.
            for node in cluster.nodes { try await node.command("CONFIG", "SET", "cluster-node-timeout", "15000") }
            return cluster
        }
    }

    private init(_ nodes: [RedisServer]) { self.nodes = nodes }

    /// Starts a cluster, and waits until every node knows every slot and every replica.
    public static func start() async throws -> RedisNodes {
        var nodes: [RedisServer] = []
        for _ in 0..<6 {
            let options = [
                "--cluster-enabled", "yes", "--cluster-port", "\(FreePort.pick())", "--cluster-node-timeout", "2000",
                "--repl-diskless-sync-delay", "0",
            ]
            nodes.append(try await RedisServer.start(options))
        }
        let cluster = RedisNodes(nodes)
        try await cluster.join()
        return cluster
    }

    private func join() async throws {
        for (index, node) in nodes.enumerated() {
            try await node.command("CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)")
        }
        for (node, (first, last)) in zip(nodes, Self.slots) {
            try await node.command("CLUSTER", "ADDSLOTSRANGE", "\(first)", "\(last)")
        }
        for node in nodes.dropFirst() { try await introduce(node) }
        try await eventually(within: .seconds(60), "a meeting of all nodes") {
            var haveMet = true
            for node in self.nodes {
                let known = try await node.clusterInfo("cluster_known_nodes")
                haveMet = haveMet && known == "6"
                // A node forgets an introduction that it does not finish in time.
                if known == "1" { try await self.introduce(node) }
            }
            return haveMet
        }
        for (replica, master) in zip(nodes[3...], nodes) {
            let id = try await master.command("CLUSTER", "MYID")[0]
            try await eventually(within: .seconds(60), "a replica of \(master.port)") {
                try await replica.command("CLUSTER", "REPLICATE", id) == ["OK"]
            }
        }
        try await untilWhole()
    }

    /// Makes the first node known to another one; nothing if they are about to meet.
    private func introduce(_ node: RedisServer) async throws {
        guard node !== nodes[0] else { return }
        let busPort = try await node.command("CONFIG", "GET", "cluster-port").last ?? ""
        try await nodes[0].command("CLUSTER", "MEET", "127.0.0.1", "\(node.port)", busPort)
    }

    /// Waits until every running node sees a master and a replica of each slot.
    public func untilWhole() async throws {
        try await eventually(within: .seconds(120), "a whole cluster") {
            for node in self.nodes {
                guard try await node.clusterInfo("cluster_state") == "ok" else { return false }
                // Each range of slots names its master and its replicas.
                let map = try await node.command("CLUSTER", "SLOTS")
                for other in self.nodes where !map.contains("\(other.port)") { return false }
            }
            return true
        }
    }

    /// The node that serves a slot, as the first running node says.
    public func master(of slot: Int) async throws -> RedisServer {
        for node in nodes {
            guard let lines = try? await node.command("CLUSTER", "NODES").first?.split(separator: "\n") else {
                continue
            }
            for line in lines {
                let words = line.split(separator: " ")
                guard words[2].contains("master"), !words[2].contains("fail") else { continue }
                for range in words[8...] where range.first != "[" {
                    let ends = range.split(separator: "-").compactMap { Int($0) }
                    guard let first = ends.first, let last = ends.last, first <= slot, slot <= last else { continue }
                    let port = words[1].split(separator: ":")[1].prefix { $0 != "@" }
                    if let found = nodes.first(where: { "\($0.port)" == port }) { return found }
                }
            }
        }
        throw NeverHappened(description: "a master of slot \(slot)")
    }

    /// The three masters, in the order of their slots. A replica may have taken over while the machine stood still.
    public func masters() async throws -> [RedisServer] {
        var masters: [RedisServer] = []
        for (first, _) in Self.slots { masters.append(try await master(of: first)) }
        return masters
    }

    /// Moves a slot with its keys to another master, as redis-cli does.
    ///
    /// - Parameter midway: called when the keys have moved, and the slot is still that of the old master.
    public func move(
        slot: Int, to target: RedisServer, midway: () async throws -> Void = {}
    ) async throws {
        let source = try await master(of: slot)
        let (sourceID, targetID) = (
            try await source.command("CLUSTER", "MYID")[0], try await target.command("CLUSTER", "MYID")[0]
        )
        try await target.command("CLUSTER", "SETSLOT", "\(slot)", "IMPORTING", sourceID)
        try await source.command("CLUSTER", "SETSLOT", "\(slot)", "MIGRATING", targetID)
        while true {
            let keys = try await source.command("CLUSTER", "GETKEYSINSLOT", "\(slot)", "100")
            if keys.isEmpty { break }
            try await source.command(["MIGRATE", "127.0.0.1", "\(target.port)", "", "0", "60000", "KEYS"] + keys)
        }
        try await midway()
        for node in [target, source] { try await node.command("CLUSTER", "SETSLOT", "\(slot)", "NODE", targetID) }
    }

    public func stop() async { for node in nodes { await node.stop() } }
}

extension RedisServer {
    /// A value of CLUSTER INFO.
    public func clusterInfo(_ name: String) async throws -> String? {
        let lines = try await command("CLUSTER", "INFO").first?.split(whereSeparator: \.isNewline) ?? []
        return lines.first { $0.hasPrefix(name + ":") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
