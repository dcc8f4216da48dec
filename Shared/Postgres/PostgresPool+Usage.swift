/// The connections of a pool at one moment, over all loops.
public struct PostgresPoolUsage: Sendable, Equatable {
    /// Open connections.
    public var open = 0
    /// Connections with statements in flight, or leased by a transaction.
    public var busy = 0
    /// Statements and transactions that wait for a connection.
    public var waiting = 0
    /// The most connections that may be open.
    public var limit = 0
    /// How often the pool has found the writable server at another host than before; the most of any loop.
    public var failovers = 0
    /// Open connections by host of the connection string.
    public var hosts: [String: Int] = [:]
}

extension PostgresPool {
    /// Counts the connections of the pool, on its loops. Do not call it after the loops have ended.
    public func usage() async -> PostgresPoolUsage {
        var total = PostgresPoolUsage()
        for part in await core.usages() {
            total.open += part.open
            total.busy += part.busy
            total.waiting += part.waiting
            total.limit += part.limit
            total.failovers = max(total.failovers, part.failovers)
            total.hosts.merge(part.hosts, uniquingKeysWith: +)
        }
        return total
    }
}

extension LoopPool {
    /// Counts the connections of this loop.
    func usage() async -> PostgresPoolUsage {
        await withUnsafeContinuation { continuation in
            onLoop { pool in
                continuation.resume(
                    returning: PostgresPoolUsage(
                        open: pool.connections.count,
                        busy: pool.connections.count { $0.isLeased || $0.depth > 0 },
                        waiting: pool.requests.count + pool.leases.count,
                        limit: pool.configuration.connectionsPerLoop,
                        failovers: pool.hosts.failovers,
                        hosts: pool.connectionsByHost))
            }
        }
    }

    private var connectionsByHost: [String: Int] {
        let names = (settings?.hosts ?? []).enumerated().map { (number, host) in
            (host.description, connections.count { $0.host == number })
        }
        return Dictionary(names, uniquingKeysWith: +)
    }
}
