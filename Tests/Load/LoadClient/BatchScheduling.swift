import Glibc

/// Schedules load clients so that they do not interrupt the server.
///
/// A client on the same cores pre-empts the server with every reply that wakes it, in the middle of a batch, so the
/// server would be measured with one reply at a time. A client on another machine never does that. With SCHED_BATCH a
/// client waits until the server yields. The clients of compared servers use it too.
public enum BatchScheduling {
    /// A command that runs its arguments with SCHED_BATCH.
    static let command = ["/usr/bin/chrt", "--batch", "0"]

    /// Applies SCHED_BATCH to the calling thread.
    public static func begin() { schedule(by: batch) }

    public static func end() { schedule(by: other) }

    private static let (other, batch): (Int32, Int32) = (0, 3)

    private static func schedule(by policy: Int32) {
        var parameters = sched_param()
        precondition(sched_setscheduler(0, policy, &parameters) == 0, "every thread may lower its own scheduling class")
    }
}
