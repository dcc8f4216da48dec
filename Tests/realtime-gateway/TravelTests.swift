import Contract
import Glibc
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Over many connections", .serialized)
struct TravelTests {
    private static let namespace = "/ws-channel-7"
    private static let doubtBefore = Duration.seconds(1).patiently
    private static let doubtAfter = Duration.milliseconds(500).patiently
    private static let profiles = ["gathering", "collatalk", "sooda", "native"]

    /// The nodes of a test, of which some come and others go.
    private final class Fleet: Sendable {
        let nodes = Mutex<[BuiltService]>([])

        var ports: [UInt16] { nodes.withLock { $0.map(\.port) } }

        func start(_ harness: GatewayHarness) async throws {
            let node = try await harness.startProcess()
            nodes.withLock { $0.append(node) }
        }

        /// Lets the oldest node drain, and returns its exit status and the time that it took.
        func drain() async throws -> (status: Int32, time: Duration) {
            let process = nodes.withLock { $0.removeFirst() }.process
            process.signal(SIGTERM)
            let time = try await timed(within: .seconds(30), "the end of a node") { !process.isRunning }
            return (await process.wait(), time)
        }

        /// Ends the oldest node and returns its exit status.
        @discardableResult
        func end(_ signal: Int32) async -> Int32 {
            let node = nodes.withLock { $0.removeFirst() }
            return await node.process.stop(signal, patience: .seconds(30))
        }

        func endAll() async { while !ports.isEmpty { await end(SIGTERM) } }
    }

    /// Two nodes, and a traveller of each profile in the room.
    private static func company(_ harness: GatewayHarness) async throws -> (Fleet, [Traveller]) {
        let fleet = Fleet()
        for _ in 0..<2 { try await fleet.start(harness) }
        var travellers: [Traveller] = []
        for (user, profile) in zip(Int64(1)..., profiles) {
            try await harness.tellHistory(user + 1000, 0)
            travellers.append(Traveller(namespace, token: harness.token(user, profile)) { fleet.ports })
        }
        let all = travellers
        try await eventually("all in the room") { all.allSatisfy(\.isIn) }
        return (fleet, all)
    }

    @Test("A rolling restart under load loses and repeats nothing; each node drains and exits with 0 within 30 seconds")
    func rolling() async throws {
        try await GatewayHarness.use { harness in
            let (fleet, travellers) = try await Self.company(harness)
            let isDone = Atomic<Bool>(false)
            async let written = Self.write(harness) { isDone.load(ordering: .relaxed) }
            for _ in 0..<3 {
                try await fleet.start(harness)
                let (status, time) = try await fleet.drain()
                #expect(status == 0 && time < .seconds(30), "\(status) after \(time)")
                try await eventually("all in the room") { travellers.allSatisfy(\.isIn) }
            }
            isDone.store(true, ordering: .relaxed)
            let all = (1...(try await written)).map(String.init)
            for (traveller, profile) in zip(travellers, Self.profiles) {
                try await eventually("all of it at \(profile)") {
                    traveller.texts.last == all.last
                }
                Self.check(traveller.texts, all, profile)
                traveller.stop()
            }
            await fleet.endAll()
        }
    }

    @Test(
        "When connections, gateways and Redis break, cautious clients get no message twice or out of order, and others miss none"
    )
    func chaos() async throws {
        try await GatewayHarness.use { harness in
            let (fleet, travellers) = try await Self.company(harness)
            let isDone = Atomic<Bool>(false)
            async let writing = Self.write(harness) { isDone.load(ordering: .relaxed) }
            for round in 0..<6 {
                for traveller in travellers where Bool.random() { traveller.drop() }
                if round % 2 == 0 {
                    try await fleet.start(harness)
                    await fleet.end(SIGKILL)
                } else {
                    await harness.redis.kill()
                    try await harness.redis.start()
                }
                try await eventually("all in the room") { travellers.allSatisfy(\.isIn) }
                // So that some are written of which nobody may doubt that they have come.
                let calm = Timestamp.now + Self.doubtAfter + Self.doubtBefore + Duration.milliseconds(500).patiently
                try await eventually("messages after it") {
                    harness.peers.now.messages[GatewayHarness.channel]!.last!.body.createdAt > calm
                }
            }
            isDone.store(true, ordering: .relaxed)
            let count = try await writing
            // One more message: it reveals that the event of an earlier one was lost.
            try await eventually("an end") {
                try await harness.say("\(harness.peers.now.messages[GatewayHarness.channel]!.count + 1)")
                let last = "\(harness.peers.now.messages[GatewayHarness.channel]!.count)"
                for _ in 0..<50 where !travellers.allSatisfy({ $0.texts.last == last }) {
                    try await pause(for: .milliseconds(20))
                }
                return travellers.allSatisfy { $0.texts.last == last }
            }
            let written = harness.peers.now.messages[GatewayHarness.channel]!.map(\.body)
            let all = written.map(\.content)
            #expect(all.count >= count)
            for (traveller, profile) in zip(travellers, Self.profiles) {
                let losses = traveller.losses
                let doubtful = written.filter { Self.isInDoubt($0.createdAt, losses) }.map(\.content)
                Self.check(traveller.texts, all, profile, mayMiss: Set(doubtful))
                traveller.stop()
            }
            await fleet.endAll()
        }
    }

    /// Writes until told to stop, and returns how many messages that made. Each is the number that it has in the room.
    private static func write(_ harness: GatewayHarness, until isDone: @Sendable () -> Bool) async throws -> Int {
        var count = 0
        while !isDone() {
            count += 1
            // Redis may be away: chat-service has it all the same.
            try? await harness.say("\(count)")
            try await pause(for: .milliseconds(10))
        }
        return count
    }

    /// Whether a message of that time may have been on its way when a connection broke: to send it again could
    /// show it twice.
    private static func isInDoubt(_ moment: Timestamp, _ losses: [ClosedRange<Timestamp>]) -> Bool {
        losses.contains { $0.lowerBound - doubtBefore <= moment && moment <= $0.upperBound + doubtAfter }
    }

    /// Compares a client's record with the messages written.
    private static func check(
        _ texts: [String], _ all: [String], _ profile: String, mayMiss doubtful: Set<String> = []
    ) {
        let numbers = texts.compactMap(Int.init)
        if profile == "native" {
            // It bears a message twice: by its number it knows it again.
            var seen: Set<Int> = []
            let news = numbers.filter { seen.insert($0).inserted }
            #expect(news == all.compactMap(Int.init), "\(profile) got \(numbers)")
            return
        }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy(<), "\(profile) got \(numbers)")
        let got = Set(texts)
        let missed = all.filter { !got.contains($0) && !doubtful.contains($0) }
        #expect(missed == [], "\(profile)")
    }
}
