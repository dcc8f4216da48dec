import EventLoop
import Wire

/// Runs tasks about users on a loop: those about one user in the order in which they were added, those about several users side
/// by side.
///
/// While a service does not answer, tasks gather. Beyond a limit further ones are left out.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class UserTasks: @unchecked Sendable {
    private let loop: EventLoop
    private let limit: Int
    private let afterOmission: () -> Void
    private var count: UInt64 = 0
    /// The tasks that have not ended.
    private var unfinished = 0
    private var hasOmitted = false
    /// The last task about each user, until it has ended.
    private var last: [UserID: (number: UInt64, task: Task<Void, Never>)] = [:]

    /// - Parameters:
    ///   - limit: the largest number of tasks that have not ended.
    ///   - afterOmission: called on the loop when all tasks have ended, if one was left out since the last call.
    init(on loop: EventLoop, limit: Int, afterOmission: @escaping () -> Void) {
        self.loop = loop
        self.limit = limit
        self.afterOmission = afterOmission
    }

    /// Call it on the loop.
    func add(_ user: UserID, _ body: @escaping @Sendable () async -> Void) {
        guard unfinished < limit else {
            hasOmitted = true
            return
        }
        count += 1
        unfinished += 1
        let (number, before) = (count, last[user]?.task)
        // Not at once: it must be known before it ends.
        let task = Task(executorPreference: loop) { [self] in
            await before?.value
            await body()
            if last[user]?.number == number { last[user] = nil }
            ended()
        }
        last[user] = (number, task)
    }

    private func ended() {
        unfinished -= 1
        guard unfinished == 0, hasOmitted else { return }
        hasOmitted = false
        afterOmission()
    }
}
