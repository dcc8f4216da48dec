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
                        limit: pool.configuration.connectionsPerLoop))
            }
        }
    }
}
