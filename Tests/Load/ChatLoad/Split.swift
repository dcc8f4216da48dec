import LoadClient

/// What a send costs the service at the peak, in microseconds of processor, and how it is made up.
///
/// Parse is a call that ends at its body, but for what lets it in; auth is what a call that may not come in costs more than
/// one without a route; `Publishing` measures publish. What is left of the whole is commit: the queue, the batch, the
/// reply.
struct Split: CustomStringConvertible {
    let total: Double
    let parse: Double
    let auth: Double
    let publish: Double

    var commit: Double { total - parse - auth - publish }

    /// - Parameters:
    ///   - total: of a send at the peak.
    ///   - batch: messages that a commit held then.
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
        let (route, door, body) = (try await cost(.route), try await cost(.door), try await cost(.body))
        self.total = total
        auth = door - route
        parse = body - auth
        publish = try await Publishing(to: chat.service.redis, batch: batch).cost(seconds: seconds)
    }

    var description: String {
        let parts = [("parse", parse), ("auth", auth), ("commit", commit), ("publish", publish)]
        return parts.map { "\($0) \(Report.tenths($1))" }.joined(separator: ", ")
            + "; together \(Report.tenths(total)) µs"
    }
}
