import EventLoop
import ServiceSupport
import TestSupport
import Testing

@testable import realtime_gateway

/// When a full room pauses.
@Suite struct FanOutPacerTests {
    private static let millisecond: UInt64 = 1_000_000

    /// Sends for `work` milliseconds; returns for how many to pacer.
    private func send(_ pacer: inout FanOutPacer, for work: UInt64) -> Duration? {
        let isFirst = pacer.begin(now: Self.millisecond)
        #expect(isFirst)
        return pacer.finish(now: (1 + work) * Self.millisecond)
    }

    @Test("A room pauses as long as its messages took, if that was worth it and within bounds")
    func length() {
        var pacer = FanOutPacer()
        let short = send(&pacer, for: 1)
        #expect(short == nil && !pacer.isPausing)
        let usual = send(&pacer, for: 16)
        #expect(usual == .milliseconds(16) && pacer.isPausing)
        pacer.resume(gathered: 0)
        #expect(!pacer.isPausing)
        let long = send(&pacer, for: 700)
        #expect(long == .milliseconds(50))
    }

    @Test("All messages of a turn are sent before the pause")
    func turn() {
        var pacer = FanOutPacer()
        let calls = [pacer.begin(now: 0), pacer.begin(now: Self.millisecond)]
        #expect(calls == [true, false] && !pacer.isPausing)
        let length = pacer.finish(now: 4 * Self.millisecond)
        #expect(length == .milliseconds(4))
    }

    @Test("Pauses that gather nothing become rarer, until several messages come at once")
    func alone() {
        var pacer = FanOutPacer()
        var pauses: [Int] = []
        for turn in 0..<80 where send(&pacer, for: 10) != nil {
            pauses.append(turn)
            pacer.resume(gathered: 1)
        }
        #expect(pauses == [0, 2, 5, 10, 19, 36, 53, 70])
        while send(&pacer, for: 10) == nil {}
        var isPausing: [Bool] = []
        for gathered in [2, 2, 1, 0, 2] {
            pacer.resume(gathered: gathered)
            isPausing.append(send(&pacer, for: 10) != nil)
        }
        #expect(isPausing == [true, true, false, true, true])
    }
}

/// A full room that pauses loses nothing.
@Suite(.timeLimit(.minutes(Int(Duration.seconds(600).patiently / .seconds(60))))) struct FullRoomTests {
    private static let namespace = Namespace.name(of: GatewayHarness.channel)

    @Test("Every socket in a full room gets each message once and in order at any rate")
    func crowd() async throws {
        try await GatewayHarness.use { harness in
            let node = try await harness.startProcess(["loops": "1", "ping_interval": "30s", "ping_timeout": "30s"])
            var clients = [try await harness.listener(1, port: node.port)]
            for _ in 0..<FanOutPacer.crowd {
                clients.append(try await .joined(Self.namespace, port: node.port, token: harness.token(2, "native")))
            }
            // So many at once that more comes while sockets are written to.
            let texts = (1...1000).map { "\($0)" }
            for start in stride(from: 0, to: texts.count, by: 20) {
                try await harness.say(atOnce: texts[start..<start + 20])
            }
            for client in clients {
                try await client.until(within: .seconds(180), "all that was said") {
                    $0.texts(Self.namespace).count >= texts.count
                }
                #expect(client.record.texts(Self.namespace) == texts)
            }
            await node.stop()
        }
    }
}
