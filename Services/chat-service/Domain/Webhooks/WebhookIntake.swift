import Contract
import EventLoop
import ServiceKit
import Telemetry
import Wire

/// Puts the messages and changes of channels into the queues of subscriptions.
///
/// It reads the tables of messages, so nothing is lost with a process or with Redis. A commit of this instance wakes it, and a
/// search finds the news of other instances and those that a crash has left.
struct WebhookIntake: Sendable {
    let store: WebhookIntakeStore
    let subscriptions: WebhookSubscriptionStore
    let watch: WebhookWatch
    let log: Log
    /// Wakes the sender.
    let wake: @Sendable () -> Void

    /// The pause between searches in all workspaces.
    private static let searchInterval = Duration.seconds(1)
    private static let atOnce = 100

    /// Works until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        var nextSearchAt = Timestamp.now
        while !Task.isCancelled {
            let changed = watch.take()
            let isSearchDue = Timestamp.now >= nextSearchAt
            if isSearchDue {
                watch.watch(try await subscriptions.watched())
                nextSearchAt = .now + Self.searchInterval
            }
            if isSearchDue || !changed.isEmpty {
                while try await gather(in: isSearchDue ? nil : changed) >= Self.atOnce {}
            }
            let pause = nextSearchAt - .now
            if pause > .zero { try await watch.signal.sleep(atMost: pause, on: loop) }
        }
    }

    /// Returns the number of channels with news in the queues. A queue that fails holds up no other, and is found
    /// again by the next search.
    private func gather(in workspaces: Set<WorkspaceID>?) async throws -> Int {
        let stale = try await store.stale(in: workspaces, limit: Self.atOnce)
        var done = 0
        // Each of their channels would wait for the server.
        var lost: Set<WorkspaceID> = []
        for each in stale where !lost.contains(each.workspace) {
            do {
                try await store.gather(each, at: .now)
                done += 1
            } catch {
                if Task.isCancelled { throw error }
                if error.isOutageOfStore { lost.insert(each.workspace) }
                log.error("the events of a channel cannot be queued for a webhook yet", ["cause": .cause(error)])
            }
        }
        if done > 0 { wake() }
        return done
    }
}
