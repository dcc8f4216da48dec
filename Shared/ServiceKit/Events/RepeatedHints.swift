public import Contract
public import EventLoop
public import Redis
internal import Synchronization
internal import Wire

/// Publishes hints that make caches ask again, each one until Redis has taken it.
///
/// A cache is emptied if its own subscription was lost. If the publisher alone has lost its connection, only the hint makes the
/// cache drop its outdated entries. A late or repeated hint does no harm.
public final class RepeatedHints: Sendable {
    private let redis: Redis
    private let loops: EventLoopGroup
    /// The hints that Redis has not taken and that wait for their next attempt.
    private let waiting = Mutex<Set<Encoded>>([])

    private struct Encoded: Hashable {
        let message: [UInt8]
        let channel: String

        init<Message: Hint>(_ hint: Message) {
            message = hint.encoded()
            channel = Message.redisChannel
        }
    }

    /// Further hints that fail are lost.
    private static let mostWaiting = 4096
    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(2)

    public init(redis: Redis, on loops: EventLoopGroup) {
        self.redis = redis
        self.loops = loops
    }

    /// Publishes a hint. The caller, which must be on a loop, does not wait.
    public func publish<Message: Hint>(_ hint: Message) { publish(hint, otherwise: hint) }

    /// Publishes a hint once. If Redis does not take it, `other` is published until Redis has taken that. For hints that would do harm
    /// if they came late, such as those with values.
    ///
    /// The caller, which must be on a loop, does not wait.
    public func publish<Message: Hint>(_ hint: Message, otherwise other: Message) {
        let (first, again, loop) = (Encoded(hint), Encoded(other), loops.current)
        Task.immediate(executorPreference: loop) { [self] in
            if await isDone(first) { return }
            var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
            repeat {
                // An equal hint that has not been sent yet covers this change as well.
                guard beginWaiting(again) else { return }
                defer { endWaiting(again) }
                do { try await loop.sleep(for: backoff.next()) } catch { return }
            } while await !isDone(again)
        }
    }

    private func beginWaiting(_ hint: Encoded) -> Bool {
        waiting.withLock { waiting in
            guard waiting.count < Self.mostWaiting else { return false }
            return waiting.insert(hint).inserted
        }
    }

    private func endWaiting(_ hint: Encoded) { waiting.withLock { _ = $0.remove(hint) } }

    /// Whether Redis has taken the hint, or the client was closed.
    private func isDone(_ hint: Encoded) async -> Bool {
        do throws(RedisError) {
            try await redis.publish(hint.message, to: hint.channel)
            return true
        } catch {
            return error == .closed
        }
    }
}
