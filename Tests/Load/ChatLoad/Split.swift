import LoadClient

/// What a send costs the service, stage by stage, in microseconds of processor.
///
/// Calls that end at one stage after the other are measured; a stage is what a call costs more than one that ends before it.
struct Split: CustomStringConvertible {
    let parse: Double
    let auth: Double
    let commit: Double
    let publish: Double

    init(_ chat: LoadedChat, _ fleet: Fleet, _ sends: Sends, seconds: Int) async throws {
        let run = UInt32.random(in: 0 ... .max)
        // All names are written before they are written again.
        _ = try await fleet.run(for: .seconds(2)) { sends.journey(.commit, run: run) }
        func cost(_ depth: Sends.Depth) async throws -> Double {
            let (outcome, cost) = try await Cost.of(chat) {
                try await fleet.run(for: .seconds(seconds)) { sends.journey(depth, run: run) }
            }
            if !outcome.failures.isEmpty { print("    \(depth): failures \(outcome.failures)") }
            return cost.service / Double(max(1, outcome.count))
        }
        let (route, door, body) = (try await cost(.route), try await cost(.door), try await cost(.body))
        let (known, new) = (try await cost(.commit), try await cost(.message))
        parse = route + body - door
        auth = door - route
        commit = known - body
        publish = new - known
    }

    var description: String {
        let parts = [("parse", parse), ("auth", auth), ("commit", commit), ("publish", publish)]
        let sum = parts.reduce(0) { $0 + $1.1 }
        return parts.map { "\($0) \(Report.tenths($1))" }.joined(separator: ", ")
            + "; together \(Report.tenths(sum)) µs"
    }
}
