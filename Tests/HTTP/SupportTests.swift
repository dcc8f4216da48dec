import Glibc
import HTTP
import TestSupport
import Testing

@Suite("The support of the tests", .timeLimit(.minutes(5)))
struct SupportTests {
    @Test("Code on a thread of its own belongs to its test: so do its expectations")
    func ownTest() async throws {
        #expect(await onOwnThread { Test.current?.name } == Test.current?.name)
        #expect(Test.current != nil)
        try await withServer { _ in
            .json([])
        } body: { _ in
            #expect(Test.current?.name == "ownTest()")
        }
    }

    @Test("Code that blocks has a thread of its own: many can block at once")
    func ownThread() async {
        let count = 64
        let blocked = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    await onOwnThread {
                        blocked.add()
                        while blocked.value < count { usleep(1000) }
                    }
                }
            }
        }
        #expect(blocked.value == count)
    }
}
