import EventLoop
import ServiceKit
import Wire

/// Deletes the messages and files of closed rooms in the background. Facts do not wait for it, and a process continues
/// the erasures that another one left unfinished.
struct RoomErasure: Sendable {
    let store: ErasureStore
    let attachments: Attachments
    private let signal = WakeSignal()

    /// The interval between searches for rooms that another process closed or left unfinished.
    private static let interval = Duration.seconds(60)
    /// Rooms erased in one step.
    private static let batchSize = 500

    init(store: ErasureStore, attachments: Attachments) {
        self.store = store
        self.attachments = attachments
    }

    /// Wakes the erasure after rooms were closed.
    func begin() { signal.wake() }

    /// Erases until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        while !Task.isCancelled {
            try await eraseAll()
            try await signal.sleep(atMost: Self.interval, on: loop)
        }
    }

    /// Erases all closed rooms. Continues after a failure and throws the first one at the end.
    private func eraseAll() async throws {
        var failure: (any Error)?
        // Each of their rooms would wait for the server.
        var lost: Set<WorkspaceID> = []
        var last: RoomID?
        while case let rooms = try await store.waiting(after: last, limit: Self.batchSize), !rooms.isEmpty {
            var erased: [RoomKey] = []
            for room in rooms where !lost.contains(room.workspace) {
                try Task.checkCancellation()
                do {
                    try await attachments.discard(room)
                    try await store.eraseMessages(of: room)
                    try await store.eraseRows(of: room)
                    erased.append(room)
                } catch {
                    failure = failure ?? error
                    guard error.isOutageOfStore else { continue }
                    if try await !store.canRead(room.workspace) { lost.insert(room.workspace) }
                }
            }
            do {
                try await store.finish(erased)
            } catch {
                failure = failure ?? error
            }
            last = rooms.last?.id
        }
        if let failure { throw failure }
    }
}
