import Contract
import EventLoop
import Synchronization
import Wire

/// Reads the heads of rooms, gathered into one call: when Redis is back, all rooms of all loops ask at once.
final class HeadComparison: Sendable {
    private typealias Waiter = CheckedContinuation<RoomHead?, any Error>

    private let chat: ChatClient
    private let loop: EventLoop
    private let waiters = Mutex<[RoomID: [Waiter]]>([:])

    private static let gatheringTime = Duration.milliseconds(50)

    /// - Parameter loop: gathers the rooms and makes the calls.
    init(chat: ChatClient, on loop: EventLoop) {
        self.chat = chat
        self.loop = loop
    }

    /// The head of a room; nil for a room without messages. May be called from any loop.
    func head(of room: RoomID) async throws -> RoomHead? {
        try await withCheckedThrowingContinuation { waiter in
            let isFirst = waiters.withLock { waiters in
                defer { waiters[room, default: []].append(waiter) }
                return waiters.isEmpty
            }
            guard isFirst else { return }
            loop.execute { [self] in _ = loop.schedule(after: Self.gatheringTime) { [self] in ask() } }
        }
    }

    private func ask() {
        let waiters = waiters.withLock { waiters in
            defer { waiters = [:] }
            return waiters
        }
        Task.immediate(executorPreference: loop) { [chat] in
            do {
                let heads = try await chat.reachableHeads(of: Array(waiters.keys))
                for (room, waiting) in waiters {
                    for waiter in waiting {
                        if let head = heads[room] {
                            waiter.resume(returning: head == .empty ? nil : head)
                        } else {
                            waiter.resume(throwing: Failure.serverError)
                        }
                    }
                }
            } catch {
                for waiter in waiters.values.joined() { waiter.resume(throwing: error) }
            }
        }
    }
}
