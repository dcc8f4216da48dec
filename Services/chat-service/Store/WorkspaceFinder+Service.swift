import EventLoop
import Postgres
import ServiceKit

extension ServiceBuilder {
    /// How background jobs find the workspaces with work; nil for tables on one server. Brings their lists up to date in the background.
    ///
    /// - Returns: one for work that is due at a moment, and one for sweeps and erasures. These may read more, and do not make due work
    ///   wait.
    func workspaceFinders(
        _ engine: ChatEngine, _ database: PostgresPool
    ) -> (due: WorkspaceFinder?, sweeps: WorkspaceFinder?) {
        guard engine == .citus else { return (nil, nil) }
        let due = WorkspaceFinder(database: database)
        let sweeps = WorkspaceFinder(database: database, limit: .seconds(3))
        background("busy workspaces", every: .seconds(60), due.refresh)
        background("workspaces with rooms") { loop in
            while !Task.isCancelled {
                let isDone = try await sweeps.refreshRooms()
                try await loop.sleep(for: .seconds(isDone ? 3600 : 60))
            }
        }
        return (due, sweeps)
    }
}
