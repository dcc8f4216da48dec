import Contract
import Postgres
import Wire

/// The leases of background jobs on workspaces. One instance at a time works for a workspace.
struct WorkspaceLeaseStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

    /// A job that works for one workspace after the other. The raw value is stored.
    enum Job: String, Sendable {
        case files, reports, reportPictures, runs, webhookEvents
    }

    private static let take = Statement.write(
        "take lease on workspace",
        """
        insert into workspace_lease (workspace, job, until) values ($1, $2, $3)
        on conflict on constraint workspace_lease_pkey do update set until = excluded.until
            where workspace_lease.until < $4
        """)
    private static let release = Statement.write(
        "release lease on workspace",
        "update workspace_lease set until = 0 where workspace = $1 and job = $2 and until = $3")

    /// After a crash others wait for this time. A job that takes longer may have company, which must do no harm.
    private static let duration = Duration.seconds(600)

    /// The workspaces with rows that are due at a moment. While a part of a divided schema is out of reach, its are missing.
    ///
    /// - Parameters:
    ///   - all: finds them by the moment.
    ///   - among: finds those among some workspaces, by the moment and the workspaces.
    func workspaces(by all: Statement, among: Statement, before moment: Timestamp) async throws -> [WorkspaceID] {
        let moment = moment.milliseconds
        guard let finder else { return try await database.query(all, moment).map(Self.workspace) }
        return try await finder.find(
            .rooms, all: { tx in try await tx.query(all, moment).map(Self.workspace) },
            among: { tx, part in try await tx.query(among, moment, part).map(Self.workspace) })
    }

    private static func workspace(_ row: inout Row) throws(PostgresError) -> WorkspaceID { try row.next() }

    /// Works for each of the workspaces that no other instance works for now. A failure for one of them stops no other one; the
    /// first failure is thrown at the end.
    func each(
        of workspaces: [WorkspaceID], for job: Job, _ work: (WorkspaceID) async throws -> Void
    ) async throws {
        var failure: (any Error)?
        for workspace in workspaces {
            try Task.checkCancellation()
            do {
                let now = Timestamp.now
                let until = (now + Self.duration).milliseconds
                let taken = try await database.execute(
                    Self.take, workspace, job.rawValue, until, now.milliseconds)
                if taken == 0 { continue }
                // A job that failed is tried again soon.
                do { try await work(workspace) } catch { failure = failure ?? error }
                try await database.execute(Self.release, workspace, job.rawValue, until)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}
