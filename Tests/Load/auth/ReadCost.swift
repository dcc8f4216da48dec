import EventLoop
import LoadClient
import TestSupport

/// The CPU cost of a profile read, beside a bare reply of the bare server.
struct ReadCost {
    let fixture: AuthLoadFixture
    let users: [LoadUser]
    let seconds: Int

    private static let callers = 64
    private static let rounds = 5
    private static let budget = 3.0

    func run(_ verdicts: inout Verdicts) async throws {
        let requests = users.map(\.profileRequest)
        // Both servers get the same requests of an app.
        let bareRequests = requests
        _ = try await cost(fixture.meter, fixture.port, requests)
        var ratios: [Double] = []
        for _ in 0..<Self.rounds {
            let bare = try await cost(fixture.bareMeter, fixture.barePort, bareRequests)
            let read = try await cost(fixture.meter, fixture.port, requests)
            ratios.append(read / bare)
            let ratio = (read / bare).hundredths
            LoadAuth.report("profile read \(read.tenths) µs, bare reply \(bare.tenths) µs of CPU: \(ratio)")
        }
        verdicts.add(
            "CPU of a profile read, of the bare reply's, median: \(ratios.median.hundredths), at most 3",
            ratios.median <= Self.budget)
    }

    /// CPU microseconds for each reply.
    private func cost(_ meter: ProcessMeter, _ port: UInt16, _ requests: [[UInt8]]) async throws -> Double {
        let before = meter.processorTime
        let outcome = try await LoadRun.with(Self.callers, connectionsTo: port, on: fixture.loops.loops[0]) { run in
            await run.closed(for: .seconds(seconds)) { connection, number, end in
                connection.send(requests[number % requests.count]) { reply in
                    end(reply.status == 200 ? nil : "status \(reply.status)")
                }
            }
        }
        guard outcome.failures.isEmpty, outcome.count > 0 else {
            throw NeverHappened(description: "successful replies: \(outcome.failures)")
        }
        return Double(meter.processorTime &- before) / 1000 / Double(outcome.count)
    }
}
