import Glibc
import Synchronization

/// The end of a child process. A thread waits for it and reaps the process at once, also if the test does not ask.
///
/// A process that has ended and is not reaped would stop all exit tests of this process for ever: swift-testing waits for
/// any child, and gets that one again and again.
final class ChildEnd: Sendable {
    let pid: pid_t
    private let ended = Mutex<Int32?>(nil)

    init(of pid: pid_t) {
        self.pid = pid
        startThread { [self] in _ = wait() }
    }

    /// Its exit status, or 128 plus the number of the signal that ended it; nil while it runs.
    var status: Int32? {
        ended.withLock { ended in
            if ended == nil { ended = reap() }
            return ended
        }
    }

    /// Waits until it ends; returns its status.
    func wait() -> Int32 {
        while true {
            if let status { return status }
            // The process is not reaped here but under the lock: otherwise `signal` could hit another process with its id.
            var information = siginfo_t()
            _ = waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT)
        }
    }

    func signal(_ signal: Int32) {
        ended.withLock { ended in
            if ended == nil { ended = reap() }
            if ended == nil { kill(pid, signal) }
        }
    }

    private func reap() -> Int32? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        Guardian.ofThisProcess.forget(pid)
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
