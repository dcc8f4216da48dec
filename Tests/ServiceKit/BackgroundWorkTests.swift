import EventLoop
import Glibc
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import ServiceKit

@Suite("Background work")
struct BackgroundWorkTests {
    private struct Failed: Error {}

    /// Starts the work on the second of two loops, and runs `body` until it returns.
    private func withWork(_ work: BackgroundWork, _ body: (EventLoop, Task<Void, Never>) async throws -> Void)
        async throws
    {
        let loops = EventLoopGroup(count: 2)
        let sink = open("/dev/null", O_WRONLY)
        let log = Log(service: "test", level: .error, to: LogOutput(descriptor: sink))
        let task = work.start(on: loops.loops[1], log: log)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(loops.loops[1], task)) } catch { outcome = .failure(error) }
        task.cancel()
        await task.value
        await onOwnThread { loops.stop() }
        close(sink)
        try outcome.get()
    }

    @Test("Work runs on the loop that it is given, and ends when its task is cancelled")
    func loop() async throws {
        let isOnLoop = Mutex<Bool?>(nil)
        let work = BackgroundWork("test") { loop in
            isOnLoop.withLock { $0 = EventLoop.current === loop }
            try await loop.sleep(for: .seconds(3600))
        }
        try await withWork(work) { _, _ in
            try await eventually("a run") { isOnLoop.withLock { $0 != nil } }
            #expect(isOnLoop.withLock { $0 == true })
        }
    }

    @Test("Periodic work runs at once and then after each pause")
    func periodic() async throws {
        let runs = Mutex(0)
        let work = BackgroundWork("test", every: .milliseconds(1)) { runs.withLock { $0 += 1 } }
        try await withWork(work) { _, _ in try await eventually("three runs") { runs.withLock { $0 >= 3 } } }
        let hourly = Mutex(0)
        let rare = BackgroundWork("test", every: .seconds(3600)) { hourly.withLock { $0 += 1 } }
        try await withWork(rare) { _, _ in try await eventually("the first run") { hourly.withLock { $0 == 1 } } }
        #expect(hourly.withLock(\.self) == 1)
    }

    @Test("Work that throws or returns is restarted")
    func restart() async throws {
        let runs = Mutex(0)
        let work = BackgroundWork("test") { _ in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            if run == 1 { throw Failed() }
        }
        try await withWork(work) { _, _ in try await eventually("three runs") { runs.withLock { $0 >= 3 } } }
    }
}
