import Crypto
import EventLoop
import Glibc
import LoadClient

/// Logins a second, beside the hashes a second of a thread pool of the same size.
struct LoginRate {
    let fixture: AuthLoadFixture
    let users: [LoadUser]
    let seconds: Int

    private static let callers = 32
    private static let rounds = 3
    private static let share = 0.85

    func run(_ verdicts: inout Verdicts) async throws {
        var shares: [Double] = []
        for _ in 0..<Self.rounds {
            let (hashes, hashCost) = try await hashRate()
            let (logins, loginCost) = try await loginRate()
            shares.append(logins / hashes)
            LoadAuth.report(
                "logins \(logins.tenths) a second, bare hashes \(hashes.tenths): \((logins / hashes).hundredths); "
                    + "CPU of a login \((loginCost / 1000).tenths) ms, of a bare hash \((hashCost / 1000).tenths)")
        }
        verdicts.add(
            "logins, of the hashes that the pool can do, median: \(shares.median.hundredths), at least 0.85",
            shares.median >= Self.share)
    }

    /// Hashes a second, and CPU microseconds of this process for each.
    private func hashRate() async throws -> (rate: Double, cost: Double) {
        let meter = ProcessMeter(pid: getpid())
        let before = meter.processorTime
        let hasher = PasswordHasher(threads: AuthLoadFixture.hashThreads, queueLimit: Self.callers)
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        let made = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<AuthLoadFixture.hashThreads * 2 {
                group.addTask {
                    var made = 0
                    while clock.now < end {
                        _ = try await hasher.hash(LoadUser.password)
                        made += 1
                    }
                    return made
                }
            }
            return try await group.reduce(0, +)
        }
        // The meter counts only live threads.
        let spent = withExtendedLifetime(hasher) { meter.processorTime &- before }
        let cost = Double(spent) / 1000 / Double(max(1, made))
        return (Double(made) / ((clock.now - start) / .seconds(1)), cost)
    }

    /// Logins a second, and CPU microseconds of the service for each.
    private func loginRate() async throws -> (rate: Double, cost: Double) {
        let requests = users.map(\.loginRequest)
        let before = fixture.meter.processorTime
        let outcome = try await LoadRun.with(Self.callers, connectionsTo: fixture.port, on: fixture.loops.loops[0]) {
            run in
            await run.closed(for: .seconds(seconds)) { connection, number, end in
                connection.send(requests[number % requests.count]) { reply in
                    end(reply.status == 200 ? nil : "status \(reply.status)")
                }
            }
        }
        if !outcome.failures.isEmpty { LoadAuth.report("    logins that failed: \(outcome.failures)") }
        return (outcome.rate, Double(fixture.meter.processorTime &- before) / 1000 / Double(max(1, outcome.count)))
    }
}
