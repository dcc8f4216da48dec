import EventLoop
import Wire

/// Deletes pushes and jobs that cannot be redelivered any more, and old decisions, a few at a time.
struct PushRetention: Sendable {
    let store: PushStore
    /// How long decisions are kept.
    let decisions: Duration

    private static let memory = Duration.seconds(7 * 86_400)
    private static let portion = 1000
    private static let pauseBetweenPortions = Duration.milliseconds(100)
    private static let pause = Duration.seconds(60)

    /// Deletes until cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            var isMore = try await store.forget(before: .now - Self.memory, atMost: Self.portion)
            if try await store.forgetDecisions(before: .now - decisions, atMost: Self.portion) { isMore = true }
            try await loop.sleep(for: isMore ? Self.pauseBetweenPortions : Self.pause)
        }
    }
}
