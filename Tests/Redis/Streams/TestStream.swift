import EventLoop
import Redis

/// A stream of numbers, and the numbers that its consumers have handled.
final class TestStream: Sendable {
    let key: RedisKey
    let handled = Record<Int>()
    private let fixture: RedisFixture

    init(_ fixture: RedisFixture) {
        self.fixture = fixture
        key = fixture.key("stream")
    }

    @discardableResult
    func append(_ numbers: Range<Int>) async throws -> [RedisStreamEntry.ID] {
        var ids: [RedisStreamEntry.ID] = []
        for number in numbers { ids.append(try await fixture.redis.append(["n": number], toStream: key)) }
        return ids
    }

    /// A consumer of the group `workers` on the first loop.
    func consumer(
        _ name: String, adjust: (inout RedisConsumption) -> Void,
        observing: @escaping @Sendable (RedisConsumption.Event) -> Void = { _ in },
        handling: @escaping @Sendable (Int) async throws -> Void = { _ in }
    ) -> RedisStreamConsumer {
        var consumption = RedisConsumption(stream: key, group: "workers", consumer: name)
        consumption.readTimeout = .milliseconds(200)
        adjust(&consumption)
        return RedisStreamConsumer(
            consumption, of: fixture.configuration, on: fixture.group.loops[0], resolvingOn: fixture.pool,
            observer: observing
        ) { [handled] entry in
            guard let number = entry["n"].flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) else {
                throw RedisError.unexpectedReply("not a number")
            }
            try await handling(number)
            handled.add(number)
        }
    }
}
