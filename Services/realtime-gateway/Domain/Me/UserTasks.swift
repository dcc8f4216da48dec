import EventLoop
import Wire

/// Runs tasks about users on a loop: those about one user in the order in which they were added, those about several users side
/// by side.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class UserTasks: @unchecked Sendable {
    private let loop: EventLoop
    private var count: UInt64 = 0
    /// The last task about each user, until it has ended.
    private var last: [UserID: (number: UInt64, task: Task<Void, Never>)] = [:]

    init(on loop: EventLoop) { self.loop = loop }

    /// Call it on the loop.
    func add(_ user: UserID, _ body: @escaping @Sendable () async -> Void) {
        count += 1
        let (number, before) = (count, last[user]?.task)
        // Not at once: it must be known before it ends.
        let task = Task(executorPreference: loop) { [self] in
            await before?.value
            await body()
            if last[user]?.number == number { last[user] = nil }
        }
        last[user] = (number, task)
    }
}
