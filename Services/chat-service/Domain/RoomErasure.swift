import EventLoop
import ServiceKit
import Wire

/// Deletes messages and files of closed rooms, however many there are: no fact waits for it, and what one process leaves
/// unfinished the next one finds.
struct RoomErasure: Sendable {
    let store: ErasureStore
    let attachments: Attachments
    private let signal = WakeSignal()

    /// What nobody has signalled here, because it was closed elsewhere or left by another process, is found after this.
    private static let patrol = Duration.seconds(60)
    /// Rooms finished at once.
    private static let piece = 500

    init(store: ErasureStore, attachments: Attachments) {
        self.store = store
        self.attachments = attachments
    }

    /// Says that rooms have been closed.
    func begin() { signal.wake() }

    /// Erases until cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            try await eraseAll()
            try await signal.sleep(atMost: Self.patrol, on: loop)
        }
    }

    /// Goes through all rooms that wait, the ones behind a failure included, and throws that failure then.
    private func eraseAll() async throws {
        var failure: (any Error)?
        var last: RoomID?
        while case let rooms = try await store.waiting(after: last, limit: Self.piece), !rooms.isEmpty {
            for room in rooms {
                try Task.checkCancellation()
                do {
                    try await attachments.discard(room)
                    try await store.eraseMessages(of: room)
                } catch {
                    failure = failure ?? error
                }
            }
            try await store.finish(rooms)
            last = rooms.last
        }
        if let failure { throw failure }
    }
}
