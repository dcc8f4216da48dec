import Testing

@testable import chat_service

@Suite("History ranges")
struct HistoryRangeTests {
    @Test(
        "A range after a seq ends at its limit or at the head, for any seq",
        arguments: [
            (0, nil, 0, 100), (40, nil, 40, 100), (40, 10, 40, 50), (95, 10, 95, 100), (100, 10, 100, 100),
            (500, 10, 100, 100), (Int64.max, 500, 100, 100), (Int64.max, nil, 100, 100),
        ] as [(Int64, Int?, Int64, Int64)])
    func after(_ seq: Int64, _ limit: Int?, _ after: Int64, _ through: Int64) {
        let part = HistoryRange.after(seq, limit: limit).part(upTo: 100)
        #expect(part == (after, through))
    }

    @Test(
        "A range before a seq holds the newest messages before it",
        arguments: [
            (1, 10, 0, 0), (5, 10, 0, 4), (50, 10, 39, 49), (101, 10, 90, 100), (Int64.max, 10, 90, 100),
        ] as [(Int64, Int, Int64, Int64)])
    func before(_ seq: Int64, _ limit: Int, _ after: Int64, _ through: Int64) {
        let part = HistoryRange.before(seq, limit: limit).part(upTo: 100)
        #expect(part == (after, through))
    }

    @Test("Every range of an empty room is empty")
    func empty() {
        #expect(HistoryRange.after(3, limit: 5).part(upTo: 0) == (0, 0))
        #expect(HistoryRange.before(3, limit: 5).part(upTo: 0) == (0, 0))
    }
}
