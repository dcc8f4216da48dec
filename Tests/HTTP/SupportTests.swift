import HTTP
import TestSupport
import Testing

@Suite("The support of the tests")
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
}
