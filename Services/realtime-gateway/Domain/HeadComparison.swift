import Contract
import EventLoop
import Wire

/// Asks for the heads of rooms, those of one moment in one call: when Redis is back, all rooms ask at once.
final class HeadComparison: Sendable {
    private typealias Waiter = CheckedContinuation<Int64?, any Error>

    private let chat: ChatClient
    private let gatherings: LoopLocal<Gathering>

    private static let gatheringTime = Duration.milliseconds(10)

    /// - Note: Confined to its loop, as every value of a `LoopLocal`.
    private final class Gathering {
        var waiters: [RoomID: [Waiter]] = [:]
    }

    init(chat: ChatClient, on loops: EventLoopGroup) {
        self.chat = chat
        gatherings = LoopLocal(loops) { _ in Gathering() }
    }

    /// The newest seq of a room; nil for one without messages. To be called on a loop.
    func head(of room: RoomID) async throws -> Int64? {
        let gathering = gatherings.current
        return try await withCheckedThrowingContinuation { waiter in
            if gathering.waiters.isEmpty, let loop = EventLoop.current {
                loop.schedule(after: Self.gatheringTime) { [self] in ask(gathering, on: loop) }
            }
            gathering.waiters[room, default: []].append(waiter)
        }
    }

    private func ask(_ gathering: Gathering, on loop: EventLoop) {
        let waiters = gathering.waiters
        gathering.waiters = [:]
        Task.immediate(executorPreference: loop) { [chat] in
            do {
                let heads = try await chat.heads(of: Array(waiters.keys))
                for (room, waiting) in waiters { for waiter in waiting { waiter.resume(returning: heads[room]) } }
            } catch {
                for waiter in waiters.values.joined() { waiter.resume(throwing: error) }
            }
        }
    }
}
