import EventLoop
import ServiceKit
import Synchronization
import Wire

/// The lease of an export, which its builder extends.
final class ExportLease: Sendable {
    let order: ExportStore.Order
    let store: ExportStore
    private let renewal: Duration
    private let renewedAt = Mutex(EventLoop.preciseNow)

    static let length = Duration.seconds(60)

    init(order: ExportStore.Order, store: ExportStore, renewal: Duration = .seconds(20)) {
        self.order = order
        self.store = store
        self.renewal = renewal
    }

    /// Extends the lease from time to time, for work that is done in steps.
    func keep() async throws {
        let isDue = renewedAt.withLock { moment in
            let now = EventLoop.preciseNow
            guard now - moment > UInt64(renewal.wholeMilliseconds) * 1_000_000 else { return false }
            moment = now
            return true
        }
        guard isDue else { return }
        guard try await store.renew(order, until: .now + Self.length) else { throw ExportJob.LostLease() }
    }

    /// Extends the lease while `work` runs, which can take longer than a lease. `work` goes on after a loss, so that it leaves
    /// nothing unfinished.
    func kept(on loop: EventLoop, during work: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [order, store, renewal] in
                // A statement that is given up may take effect later, so the last one is waited for. After an error of the
                // database the lease may still be ours.
                func renew() -> Task<Bool, any Error> {
                    Task(executorPreference: loop) { try await store.renew(order, until: .now + Self.length) }
                }
                while (try? await renew().value) != false {
                    try await loop.sleep(for: renewal)
                }
            }
            defer { group.cancelAll() }
            try await work()
        }
    }
}
