public import Contract
public import EventLoop
public import Redis
internal import Synchronization
internal import Wire

/// Publishes hints that make caches ask again, each one until Redis has taken it.
///
/// A cache is emptied if its own subscription was lost. If the publisher alone has lost its connection, nothing but the hint tells the
/// cache that it is outdated. A late or repeated hint does no harm.
public final class RepeatedHints: Sendable {
    private let redis: Redis
    private let loops: EventLoopGroup
    /// The number of hints that Redis has not taken.
    private let waiting = Mutex(0)

    /// Further hints that fail are lost.
    private static let mostWaiting = 4096
    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(2)

    public init(redis: Redis, on loops: EventLoopGroup) {
        self.redis = redis
        self.loops = loops
    }

    /// Publishes a hint. The caller, which must be on a loop, does not wait.
    public func publish<Message: Hint>(_ hint: Message) {
        let (message, channel, loop) = (hint.encoded(), Message.redisChannel, loops.current)
        Task.immediate(executorPreference: loop) { [self] in
            if await isDone(message, channel) { return }
            guard beginWaiting() else { return }
            defer { waiting.withLock { $0 -= 1 } }
            var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
            repeat {
                do { try await loop.sleep(for: backoff.next()) } catch { return }
            } while await !isDone(message, channel)
        }
    }

    private func beginWaiting() -> Bool {
        waiting.withLock { waiting in
            guard waiting < Self.mostWaiting else { return false }
            waiting += 1
            return true
        }
    }

    /// Whether Redis has taken the hint, or the client was closed.
    private func isDone(_ message: [UInt8], _ channel: String) async -> Bool {
        do throws(RedisError) {
            try await redis.publish(message, to: channel)
            return true
        } catch {
            return error == .closed
        }
    }
}
