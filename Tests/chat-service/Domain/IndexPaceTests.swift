import Testing

@testable import chat_service

@Suite("Pace of the search index")
struct IndexPaceTests {
    private static let millisecond = 1e6

    /// The wait after a step of 10 ms, in milliseconds, with the load during each part of it.
    private func wait(_ loads: [Double], share: Double) -> Double {
        var (waited, loads) = (0.0, loads[...])
        while let load = loads.popFirst(),
            let pause = IndexPace(share: share).pause(afterStepOf: 10 * Self.millisecond, waited: waited, load: load)
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

    @Test("Beside sends at the limit it is written for a third of that, until the load falls")
    func limit() {
        #expect(wait([1, 1, 1], share: 0.1) == 323)
        #expect(wait([1, 1, 1, 0.5, 1], share: 0.01) == 1490)
    }

    @Test("A slow step waits for ten seconds at most, and the whole share for nothing")
    func bounds() {
        let pace = IndexPace(share: 0.01)
        var waited = 0.0
        while let pause = pace.pause(afterStepOf: 50 * Self.millisecond, waited: waited, load: 1) { waited += pause }
        #expect(waited == 10_000 * Self.millisecond)
        #expect(wait([1, 1], share: 1) == 0)
    }
}
