import Testing

@testable import Redis

@Suite struct ServerHistoryTests {
    @Test("A server that was there from the beginning has lost nothing")
    func steady() {
        var history = ServerHistory()
        let hasReturned = history.serves(at: 5)
        #expect(!hasReturned)
        #expect(history.timeSinceReturn(at: 9) == nil && !history.isAway)
    }

    @Test("The time since a return runs from the moment at which the server executes commands")
    func returned() {
        var history = ServerHistory()
        history.lost()
        #expect(history.timeSinceReturn(at: 7) == .zero && history.isAway)
        let hasReturned = history.serves(at: 8)
        #expect(hasReturned)
        #expect(history.timeSinceReturn(at: 10) == .nanoseconds(2) && !history.isAway)
        history.lost()
        #expect(history.timeSinceReturn(at: 11) == .zero)
    }

    @Test("A server that takes the place of another one may lack writes that the other had accepted")
    func succeeded() {
        var connected = ServerHistory()
        connected.succeeded(at: 5, isServing: true)
        #expect(connected.timeSinceReturn(at: 6) == .nanoseconds(1))
        var unconnected = ServerHistory()
        unconnected.succeeded(at: 5, isServing: false)
        #expect(unconnected.timeSinceReturn(at: 6) == .zero)
        let hasReturned = unconnected.serves(at: 7)
        #expect(hasReturned)
    }
}
