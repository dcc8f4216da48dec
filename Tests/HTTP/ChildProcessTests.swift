import Glibc
import TestSupport
import Testing

@Suite("Programs that tests run")
struct ChildProcessTests {
    /// An ended process that is not reaped would stop the exit tests of this process for ever.
    @Test("A program that has ended is reaped, although its test neither waits nor asks")
    func reaped() async throws {
        let child = try ChildProcess("/bin/true", log: "/dev/null")
        try await eventually("the end") { Self.isGone(child.pid) }
        #expect(await child.wait() == 0)
    }

    @Test("A program is ended and reaped when its test drops it")
    func dropped() async throws {
        let pid = try ChildProcess("/bin/sleep", ["600"], log: "/dev/null").pid
        try await eventually("the end") { Self.isGone(pid) }
    }

    @Test("A stopped program's status is the number of its signal")
    func stopped() async throws {
        let child = try ChildProcess("/bin/sleep", ["600"], log: "/dev/null")
        #expect(child.isRunning)
        #expect(await child.stop() == 128 + SIGTERM)
        #expect(!child.isRunning)
    }

    private static func isGone(_ process: pid_t) -> Bool { kill(process, 0) != 0 && errno == ESRCH }
}
