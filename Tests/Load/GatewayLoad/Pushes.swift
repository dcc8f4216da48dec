import Contract
import EventLoop
import LoadClient
import Redis
import Wire

/// Messages to rooms whose members are away: how long from the job on the stream to FCM.
struct Pushes {
    var seconds = 10

    private static let membersOfRoom = 6
    private static let rooms = 20
    private static let messagesASecond = 20

    func run(on loop: EventLoop) async throws -> [Figure] {
        let seating = Seating(rooms: Self.rooms, users: Self.rooms * Self.membersOfRoom)
        let house = try await GatewayHouse.start(seating, with: .push)
        let writer = try await PublishingWriter.open(house.redis, telling: house.others.head)
        var sentAt: [String: UInt64] = [:]
        // The first messages wait for the token of FCM, and are not counted.
        try await send(1..<3, writer, &sentAt, on: loop)
        try await wait(for: 2 * (Self.membersOfRoom - 1), house)
        let warmUp = Set(sentAt.keys)
        try await send(3..<(3 + seconds * Self.messagesASecond), writer, &sentAt, on: loop)
        let expected = sentAt.count * (Self.membersOfRoom - 1)
        try await wait(for: expected, house)
        let arrivals = house.others.pushed
        let lags = arrivals.compactMap { push in
            warmUp.contains(push.name) ? nil : sentAt[push.name].map { push.at - $0 }
        }
        await house.stop()
        let late = Percentile.of(lags, 0.99) / 1e6
        return [
            Figure(
                part: "e", what: "ms from job to push at p99, \(Self.messagesASecond) messages/s to 5 devices each",
                ours: late, target: ("below 300", late < 300), decimals: 1),
            Figure(part: "e", what: "ms from job to push at p50", ours: Percentile.of(lags, 0.5) / 1e6, decimals: 1),
            Figure(
                part: "e", what: "pushes handed over", ours: Double(arrivals.count),
                target: ("\(expected)", arrivals.count == expected), decimals: 0),
        ]
    }

    /// Puts jobs on the stream as chat-service does behind a commit.
    private func send(
        _ numbers: Range<Int>, _ writer: PublishingWriter, _ sentAt: inout [String: UInt64], on loop: EventLoop
    ) async throws {
        for number in numbers {
            let channel = ChannelID(Int64(number % Self.rooms + 1))
            let message = TimedEvent(Int64(number), in: channel, for: .measured).message
            let name = "\(message.room):\(message.body.seq)"
            sentAt[name] = EventLoop.preciseNow
            writer.post(.append(["id": name, "body": RoomEvent.message(message).encoded()], toStream: "push"))
            try await loop.sleep(for: .milliseconds(1000 / Self.messagesASecond))
        }
    }

    private func wait(for pushes: Int, _ house: GatewayHouse) async throws {
        let deadline = EventLoop.preciseNow + 30_000_000_000
        while house.others.pushed.count < pushes, EventLoop.preciseNow < deadline {
            try await EventLoop.current?.sleep(for: .milliseconds(20))
        }
    }
}
