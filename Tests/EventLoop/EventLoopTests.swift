import EventLoop
import Testing

@Suite struct EventLoopTests {
    @Test("A sleep ends after its time and a cancelled one at once")
    func sleeping() async throws {
        let group = EventLoopGroup(count: 2)
        let loop = group.loops[1]
        let index = try await loop.run {
            try await loop.sleep(for: .milliseconds(20))
            return EventLoop.current?.index
        }
        #expect(index == 1)
        let sleeper = Task { try await loop.sleep(for: .seconds(3600)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        group.stop()
    }
}
