import EventLoop
import Foundation
import HTTP
import LoadClient
import TestSupport

/// `bench-websocket [SOCKETS]`: the server's cost of one message to one of many WebSockets, ours beside nchan's.
@main
struct Bench: MeasuringProgram {
    private static let rounds = 5
    private static let target = 6.5

    static func measure() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "serve" {
            return try BroadcastServer(loops: arguments.last.flatMap { Int($0) } ?? 1).run()
        }
        var broadcast = Broadcast()
        if let sockets = arguments.first.flatMap({ Int($0) }) { broadcast.sockets = sockets }
        let folder = TemporaryFolder("maru-bench-websocket")
        let peers = [try await Peer.maru(loops: 1, in: folder.path), try await Peer.nchan(workers: 1)]
        let outcomes = try await measure(peers, broadcast)
        for peer in peers { await peer.process.stop() }
        try report(outcomes, broadcast).settle()
    }

    private static func measure(_ peers: [Peer], _ broadcast: Broadcast) async throws -> [[Broadcast.Outcome]] {
        let group = EventLoopGroup(count: 1)
        defer { group.stop() }
        let client = HTTPClient(on: group)
        return try await group.loops[0].run {
            var outcomes: [[Broadcast.Outcome]] = peers.map { _ in [] }
            for _ in 0..<rounds {
                for (index, peer) in peers.enumerated() {
                    outcomes[index].append(try await broadcast.run(against: peer, on: group.loops[0], with: client))
                }
            }
            return outcomes
        }
    }

    private static func report(_ outcomes: [[Broadcast.Outcome]], _ broadcast: Broadcast) -> Verdicts {
        print(
            "\(broadcast.messages) messages of \(broadcast.messageSize) bytes to \(broadcast.sockets) WebSockets, "
                + "one loop or worker, one message at a time; median of \(rounds) rounds")
        let figures = outcomes.map { median($0.map(\.costOfDelivery)) / 1000 }
        for (name, index) in [("Maru ", 0), ("nchan", 1)] {
            let rate = median(outcomes[index].map(\.deliveriesPerSecond))
            print(String(format: "%@  %5.2f µs server CPU a delivery   %7.0f deliveries/s", name, figures[index], rate))
        }
        var verdicts = Verdicts()
        verdicts.add(
            String(format: "ratio  %4.2f, at most %.1f µs and less than nchan", figures[0] / figures[1], target),
            figures[0] <= target && figures[0] < figures[1])
        return verdicts
    }

    private static func median(_ figures: [Double]) -> Double { figures.sorted()[figures.count / 2] }
}
