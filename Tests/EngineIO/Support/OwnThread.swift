import EventLoop
import TestSupport
import Testing

/// Runs each test of a suite on its own thread: blocking clients take no thread from other tests, and wait for none.
struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await body() }
        let thread = EventLoopGroup(count: 1)
        let result: Result<Void, any Error>
        do {
            try await withTaskExecutorPreference(thread.loops[0]) { try await body() }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await onOwnThread { thread.stop() }
        try result.get()
    }
}

extension Trait where Self == OwnThread {
    static var ownThread: Self { Self() }
}
