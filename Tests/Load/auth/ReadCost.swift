import EventLoop
import LoadClient
import TestSupport

/// What a profile read costs the service's processors, beside what a bare reply costs the bare server's.
struct ReadCost {
    let house: LoadedHouse
    let people: [Person]
    let seconds: Int

    private static let callers = 64
    private static let rounds = 5
    private static let budget = 3.0

    func run(_ verdicts: inout Verdicts) async throws {
        let requests = people.map(\.profileRequest)
        // Both servers get a request as an app sends it.
        let bareRequests = requests
        _ = try await cost(house.meter, house.port, requests)
        var ratios: [Double] = []
        for _ in 0..<Self.rounds {
            let bare = try await cost(house.bareMeter, house.barePort, bareRequests)
            let read = try await cost(house.meter, house.port, requests)
            ratios.append(read / bare)
            let ratio = (read / bare).hundredths
            LoadAuth.say("profile read \(read.tenths) µs, bare reply \(bare.tenths) µs of CPU: \(ratio)")
        }
        verdicts.add(
            "CPU of a profile read, of the bare reply's, median: \(ratios.median.hundredths), at most 3",
            ratios.median <= Self.budget)
    }

    /// Microseconds on a processor for each reply.
    private func cost(_ meter: ProcessMeter, _ port: UInt16, _ requests: [[UInt8]]) async throws -> Double {
        let before = meter.processorTime
        let outcome = try await LoadRun.with(Self.callers, connectionsTo: port, on: house.loops.loops[0]) { run in
            await run.closed(for: .seconds(seconds)) { connection, number, end in
                connection.send(requests[number % requests.count]) { reply in
                    end(reply.status == 200 ? nil : "status \(reply.status)")
                }
            }
        }
        guard outcome.failures.isEmpty, outcome.count > 0 else {
            throw NeverHappened(description: "only good replies: \(outcome.failures)")
        }
        return Double(meter.processorTime &- before) / 1000 / Double(outcome.count)
    }
}
