import EventLoop
import Testing
import Wire

@testable import realtime_gateway

@Suite("Tasks about users")
struct UserTasksTests {
    /// - Note: `@unchecked Sendable` because it is confined to its loop.
    private final class Record: @unchecked Sendable {
        var ended: [Int] = []
        var omissions = 0

        /// Lets other tasks of the loop go on until `condition` holds, but not for ever.
        func wait(until condition: (Record) -> Bool) async {
            for _ in 0..<10_000 where !condition(self) { await Task.yield() }
        }
    }

    @Test("Tasks beyond the limit are left out, which is reported once the others have ended")
    func bounded() async throws {
        let group = EventLoopGroup(count: 1)
        defer { group.stop() }
        let loop = group.loops[0]
        try await loop.run {
            let record = Record()
            let tasks = UserTasks(on: loop, limit: 3) { record.omissions += 1 }
            // None of them begins before all have been added.
            for number in 0..<5 { tasks.add(UserID(Int64(number % 2))) { record.ended.append(number) } }
            await record.wait { $0.omissions > 0 }
            #expect(record.ended.sorted() == [0, 1, 2])
            #expect(record.omissions == 1)
            tasks.add(UserID(1)) { record.ended.append(5) }
            await record.wait { $0.ended.count == 4 }
            #expect(record.ended.last == 5)
            #expect(record.omissions == 1)
        }
    }
}
