import Contract
import Testing

@testable import realtime_gateway

@Suite("Order of changes")
struct ChangeOrderTests {
    private func change(_ revs: Int64...) -> RoomChange { RoomChange(.sample(revs.last ?? 0), revs: revs) }

    private func delivered(_ actions: [ChangeOrder.Action]) -> [Int64] {
        actions.compactMap { if case .deliver(let change) = $0 { change.rev } else { nil } }
    }

    @Test("Nothing is delivered before the revision is known, and no change up to it")
    func start() {
        var order = ChangeOrder()
        #expect(order.published(change(4)).isEmpty)
        #expect(order.published(change(5)).isEmpty)
        #expect(delivered(order.start(at: 4)) == [5])
        #expect(delivered(order.published(change(6))) == [6])
        #expect(order.published(change(6)).isEmpty)
        #expect(order.published(change(3)).isEmpty)
    }

    @Test("Revisions that a change replaces are not awaited, in any order of the events of two instances")
    func superseded() {
        var order = ChangeOrder()
        _ = order.start(at: 0)
        // One instance gathered 1, 3 and 5 of a message; another 2 and 4.
        #expect(order.published(change(2, 4)) == [.awaitMissing])
        #expect(delivered(order.published(change(1, 3, 5))) == [4, 5])
        #expect(order.awaited().isEmpty)
        #expect(order.last == 5)
    }

    @Test("A revision that stays missing is fetched, and later changes wait for it")
    func gap() {
        var order = ChangeOrder()
        _ = order.start(at: 1)
        #expect(order.published(change(4)) == [.awaitMissing])
        #expect(order.published(change(6)).isEmpty)
        #expect(order.awaited() == [.fetch(after: 1)])
        #expect(order.published(change(7)).isEmpty)
        // Revision 2 was superseded by 4, and 5 by 6.
        #expect(delivered(order.fetched([change(3), change(4), change(6)], through: 6, head: 6)) == [3, 4, 6, 7])
        #expect(delivered(order.published(change(8))) == [8])
    }

    @Test("A revision that is heard of during a fetch is asked for, once, if the answer is older")
    func newsDuringFetch() {
        var order = ChangeOrder()
        _ = order.start(at: 1)
        #expect(order.compared(rev: 3) == [.fetch(after: 1)])
        #expect(order.compared(rev: 5).isEmpty)
        let first = order.fetched([change(2), change(3)], through: 3, head: 3)
        #expect(delivered(first) == [2, 3] && first.last == .fetch(after: 3))
        #expect(delivered(order.fetched([change(4)], through: 4, head: 4)) == [4])
    }

    @Test("An incomplete page is followed by another one, and a failed fetch by the next comparison")
    func pages() {
        var order = ChangeOrder()
        _ = order.start(at: 0)
        #expect(order.compared(rev: 9) == [.fetch(after: 0)])
        #expect(order.compared(rev: 9).isEmpty)
        let actions = order.fetched([change(2), change(5)], through: 5, head: 9)
        #expect(delivered(actions) == [2, 5])
        #expect(actions.last == .fetch(after: 5))
        order.fetchFailed()
        #expect(order.compared(rev: 9) == [.fetch(after: 5)])
        #expect(delivered(order.fetched([change(9)], through: 9, head: 9)) == [9])
        #expect(order.compared(rev: 9).isEmpty)
    }

    @Test("Skipped changes are not waited for, and a fetch that was under way changes nothing")
    func skips() {
        var order = ChangeOrder()
        _ = order.start(at: 0)
        _ = order.published(change(3))
        order.skip(to: 5)
        #expect(order.awaited().isEmpty)
        #expect(order.published(change(4)).isEmpty)
        #expect(delivered(order.published(change(6))) == [6])
        #expect(delivered(order.fetched([change(2)], through: 5, head: 6)).isEmpty)
    }

    @Test("An answer that knows no more is not asked for again at once")
    func unknown() {
        var order = ChangeOrder()
        _ = order.start(at: 3)
        #expect(order.published(change(7)) == [.awaitMissing])
        #expect(order.awaited() == [.fetch(after: 3)])
        #expect(order.fetched([], through: 3, head: 3).isEmpty)
        #expect(order.published(change(8)) == [.awaitMissing])
    }
}
