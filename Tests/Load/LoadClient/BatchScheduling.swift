import Glibc

/// How clients share the processors with the server that they load.
///
/// A client on another machine never interrupts a server. One on the same cores takes the processor with each reply that
/// wakes it, in the midst of a batch, so that the server is measured as it works for one reply at a time. Clients that give
/// way (SCHED_BATCH) wait for their turn, the peers' as well as ours.
enum GivingWay {
    /// Runs a program so, given behind it.
    static let command = ["/usr/bin/chrt", "--batch", "0"]

    /// Lets the calling thread do so.
    static func begin() { schedule(by: batch) }

    static func end() { schedule(by: other) }

    private static let (other, batch): (Int32, Int32) = (0, 3)

    private static func schedule(by policy: Int32) {
        var parameters = sched_param()
        precondition(sched_setscheduler(0, policy, &parameters) == 0, "any thread may")
    }
}
