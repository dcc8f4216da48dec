import LoadClient
import TestSupport

/// The CPU time of a run, in microseconds.
struct Cost: Sendable {
    let service: Double
    let database: Double
    let redis: Double

    /// Runs `body` and returns the total CPU time of the service, Postgres and Redis.
    static func of<Outcome>(
        _ chat: LoadedChat, _ body: () async throws -> Outcome
    ) async throws -> (outcome: Outcome, cost: Cost) {
        let before = spent(by: chat)
        let outcome = try await body()
        let after = spent(by: chat)
        return (
            outcome,
            Cost(
                service: after.service - before.service, database: after.database - before.database,
                redis: after.redis - before.redis)
        )
    }

    private static func spent(by chat: LoadedChat) -> Cost {
        Cost(
            service: Double(chat.service.meter.processorTime) / 1000,
            database: chat.service.cluster.processorTime * 1e6,
            redis: Double(chat.service.redisMeter.processorTime) / 1000)
    }

    static func / (cost: Cost, count: Int) -> Cost {
        let count = Double(max(1, count))
        return Cost(service: cost.service / count, database: cost.database / count, redis: cost.redis / count)
    }
}
