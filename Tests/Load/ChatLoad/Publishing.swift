import Contract
import EventLoop
import Glibc
import Redis
import TestSupport
import Wire

/// Publishes messages like chat-service after a commit, with nothing else on the loop.
struct Publishing {
    private let redis: RedisServer
    private let batch: Int

    /// - Parameter batch: messages that are published together.
    init(to redis: RedisServer, batch: Int) {
        self.redis = redis
        self.batch = max(1, batch)
    }

    /// CPU time of a message in microseconds, including its encoding.
    func cost(seconds: Int) async throws -> Double {
        let group = EventLoopGroup(count: 1)
        let pool = BlockingPool(threads: 1, limit: 4)
        let client = Redis(
            RedisConfiguration(.host("127.0.0.1", port: redis.port)), on: group, resolvingOn: pool)
        let (loop, batch) = (group.loops[0], batch)
        let cost = try await loop.run {
            try await client.connected(within: .seconds(5))
            let (began, end) = (Self.spent, EventLoop.preciseNow + UInt64(seconds) * 1_000_000_000)
            var count = 0
            while EventLoop.preciseNow < end {
                let outcomes = await client.run(Self.commands(publishing: (count..<count + batch).map(Self.message)))
                for outcome in outcomes { _ = try outcome.get() }
                count += batch
            }
            return (Self.spent - began) / Double(count)
        }
        client.close()
        await onOwnThread { group.stop() }
        return cost
    }

    private static func commands(publishing messages: [RoomMessage]) -> [RedisCommand] {
        var commands: [RedisCommand] = []
        var fields: [(name: String, value: any RedisArgument)] = []
        for message in messages {
            let encoded = RoomEvent.message(message).encoded()
            commands.append(RedisCommand("PUBLISH", RoomEvent.channel(of: message.room), encoded))
            fields += [("id", "\(message.room):\(message.body.seq)"), ("body", encoded)]
        }
        return commands + [.append(fields, toStream: "published")]
    }

    private static func message(_ number: Int) -> RoomMessage {
        let author = Int64(number % Sends.users + 1)
        let image = "/static/profiles/image_0123456789abcdef0123456789ab\(author).png"
        return RoomMessage(
            room: RoomID(ChannelID(Int64(number % Sends.rooms + 1))), workspace: WorkspaceID(1), name: "general",
            body: MessageBody(
                id: ChatID(Int64(number)), seq: Int64(number), content: Sends.content, createdAt: .now, files: [],
                author: MemberView(
                    id: UserID(author), email: "person\(author)@example.com", nickname: "Person \(author)",
                    profileImage: image)),
            session: SessionID(author))
    }

    /// CPU time of this thread in microseconds.
    private static var spent: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}
