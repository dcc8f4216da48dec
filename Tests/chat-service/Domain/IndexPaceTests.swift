import Testing

@testable import chat_service

@Suite("Pace of the search index")
struct IndexPaceTests {
    private static let millisecond = 1e6

    /// The wait after a step of 10 ms, in milliseconds, with the part of the time with a commit under way during each part of it.
    private func wait(_ loads: [Double], of messages: Double = 1, share: Double) -> Double {
        var (waited, loads) = (0.0, loads[...])
        while let load = loads.popFirst(),
            let pause = IndexPace(share: share).pause(
                afterStepOf: 10 * Self.millisecond, waited: waited, load: .init(busy: load, messages: messages))
        {
            waited += pause
        }
        return (waited / Self.millisecond).rounded()
    }

    @Test("The index is written for its share of the time")
    func share() {
        #expect(wait([0, 0], share: 0.1) == 90)
        #expect(wait([1, 0.9], share: 0.1) == 90, "the load before the wait does not count")
        #expect(wait([0, 0], share: 0.5) == 10)
    }

    @Test("Beside commits without a pause it is written for a third of that, until the load falls")
    func limit() {
        #expect(wait([1, 1, 1], share: 0.1) == 323)
        #expect(wait([1, 1, 1, 0.5, 1], share: 0.01) == 1490)
    }

    @Test("Beside large commits that are frequent it is written for a tenth of it, until they become small or rare")
    func largeCommits() {
        let loads = Array(repeating: 0.5, count: 9)
        #expect(wait(loads, of: 25, share: 0.1) == 990)
        #expect(wait(loads, of: 8, share: 0.1) == 90)
        #expect(wait([0.5, 0.5, 0.1, 0.5], of: 25, share: 0.1) == 340)
    }

    @Test("A slow step waits for ten seconds at most, and the whole share for nothing")
    func bounds() {
        let pace = IndexPace(share: 0.01)
        var waited = 0.0
        while let pause = pace.pause(afterStepOf: 50 * Self.millisecond, waited: waited, load: .init(busy: 1)) {
            waited += pause
        }
        #expect(waited == 10_000 * Self.millisecond)
        #expect(wait([1, 1], share: 1) == 0)
    }
}
