import EventLoop
import LoadClient
import TestSupport

/// The latency of profile reads during a flood of logins many times larger than the hashing rate.
struct Flood {
    let fixture: AuthLoadFixture
    let users: [LoadUser]
    let seconds: Int

    private static let readers = 32
    private static let readsPerSecond = 300.0
    private static let attackers = 256
    private static let loginsPerSecond = 1000.0
    private static let rounds = 3
    /// Milliseconds.
    private static let leastLimit = 5.0

    func run(_ verdicts: inout Verdicts) async throws {
        var pairs: [(quiet: Double, flooded: Double)] = []
        for _ in 0..<Self.rounds {
            let quiet = try await reads()
            async let flood = logins()
            let flooded = try await reads()
            let logins = try await flood
            let shed = logins.failures.values.reduce(0, +)
            pairs.append((quiet.percentile(0.99), flooded.percentile(0.99)))
            LoadAuth.report(
                "p99 of reads: quiet \(pairs.last!.quiet.tenths) ms, under the flood \(pairs.last!.flooded.tenths) ms; "
                    + "logins answered \(logins.count), shed \(shed) \(logins.failures); the client itself was late by "
                    + "\(quiet.lateness(0.99).tenths) and \(flooded.lateness(0.99).tenths) ms")
        }
        let quiet = pairs.map(\.quiet).median
        let flooded = pairs.map(\.flooded).median
        let limit = max(2 * quiet, Self.leastLimit)
        verdicts.add(
            "p99 of profile reads under a flood of logins, median: \(flooded.tenths) ms, at most \(limit.tenths)",
            flooded <= limit)
    }

    private func reads() async throws -> LoadOutcome {
        let requests = users.map(\.profileRequest)
        let outcome = try await LoadRun.with(Self.readers, connectionsTo: fixture.port, on: fixture.loops.loops[0]) {
            run in
            await run.open(rate: Self.readsPerSecond, for: .seconds(seconds)) { connection, number, end in
                connection.send(requests[number % requests.count]) { reply in
                    end(reply.status == 200 ? nil : "status \(reply.status)")
                }
            }
        }
        guard outcome.failures.isEmpty else {
            throw NeverHappened(description: "successful reads: \(outcome.failures)")
        }
        return outcome
    }

    private func logins() async throws -> LoadOutcome {
        let requests = (0..<4096).map(LoadUser.unknownUserRequest)
        return try await LoadRun.with(Self.attackers, connectionsTo: fixture.port, on: fixture.loops.loops[1]) { run in
            await run.open(rate: Self.loginsPerSecond, for: .seconds(seconds)) { connection, number, end in
                connection.send(requests[number % requests.count]) { reply in
                    // A hashed login of an unknown user gets 401.
                    end(reply.status == 401 ? nil : "status \(reply.status)")
                }
            }
        }
    }
}
