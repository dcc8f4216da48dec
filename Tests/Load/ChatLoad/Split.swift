import LoadClient

/// The service's CPU time of a send at the peak rate, in microseconds, and its parts.
///
/// Auth is the difference between a request without access and one without a route. Parse is a request refused for its
/// body, without auth. `Publishing` measures publish. Commit is the rest: the queue, the batch and the reply.
struct Split: CustomStringConvertible {
    let total: Double
    let parse: Double
    let auth: Double
    let publish: Double

    var commit: Double { total - parse - auth - publish }

    /// - Parameters:
    ///   - total: the CPU time of a send at the peak rate.
    ///   - batch: the messages in a commit at the peak rate.
    init(
        _ chat: LoadedChat, _ fleet: Fleet, _ sends: Sends, total: Double, batch: Int, seconds: Int
    ) async throws {
        func cost(_ depth: Sends.Depth) async throws -> Double {
            let (outcome, cost) = try await Cost.of(chat) {
                try await fleet.run(for: .seconds(seconds)) { sends.journey(depth) }
            }
            if !outcome.failures.isEmpty { print("    \(depth): failures \(outcome.failures)") }
            return cost.service / Double(max(1, outcome.count))
        }
        let (route, access, body) = (try await cost(.route), try await cost(.access), try await cost(.body))
        self.total = total
        auth = access - route
        parse = body - auth
        publish = try await Publishing(to: chat.service.redis, batch: batch).cost(seconds: seconds)
    }

    var description: String {
        let parts = [("parse", parse), ("auth", auth), ("commit", commit), ("publish", publish)]
        return parts.map { "\($0) \(Report.tenths($1))" }.joined(separator: ", ")
            + "; together \(Report.tenths(total)) µs"
    }
}
