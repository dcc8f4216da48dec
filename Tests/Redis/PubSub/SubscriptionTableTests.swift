import Testing

@testable import Redis

@Suite struct SubscriptionTableTests {
    private final class Listener {}

    private var table = SubscriptionTable<Listener>()
    private let room = Array("room".utf8)

    @Test("The server gets one SUBSCRIBE for any number of listeners, and one UNSUBSCRIBE after the last")
    mutating func references() {
        let listeners = (0..<3).map { _ in Listener() }
        for listener in listeners { #expect(table.add(listener, to: room) == false) }
        expectFlush(subscribe: true)
        #expect(table.confirmedSubscribe(room).count == 3)
        table.remove(listeners[0], from: room)
        table.remove(listeners[1], from: room)
        expectFlush()
        table.remove(listeners[2], from: room)
        expectFlush(unsubscribe: true)
        table.confirmedUnsubscribe(room)
        #expect(table.count == 0)
    }

    @Test("A listener that joins a live channel is live at once, without a command")
    mutating func joining() {
        _ = table.add(Listener(), to: room)
        _ = table.flush()
        #expect(table.add(Listener(), to: room) == false, "not yet confirmed")
        #expect(table.confirmedSubscribe(room).map(\.1) == [.first, .first])
        #expect(table.add(Listener(), to: room) == true)
        expectFlush()
    }

    @Test("Leaving and entering again within a turn sends nothing")
    mutating func withinATurn() {
        let listener = Listener()
        _ = table.add(listener, to: room)
        table.remove(listener, from: room)
        expectFlush()
        #expect(table.count == 0)
        _ = table.add(listener, to: room)
        _ = table.flush()
        _ = table.confirmedSubscribe(room)
        table.remove(listener, from: room)
        #expect(table.add(listener, to: room) == true)
        expectFlush()
    }

    @Test("An early confirmation of a channel that was left and entered again does not count")
    mutating func overtaken() {
        let first = Listener()
        _ = table.add(first, to: room)
        expectFlush(subscribe: true)
        table.remove(first, from: room)
        expectFlush(unsubscribe: true)
        let second = Listener()
        _ = table.add(second, to: room)
        expectFlush(subscribe: true)
        #expect(table.confirmedSubscribe(room).isEmpty, "this confirmation belongs to the first listener")
        table.confirmedUnsubscribe(room)
        let confirmations = table.confirmedSubscribe(room)
        #expect(confirmations.count == 1 && confirmations[0].0 === second && confirmations[0].1 == .first)
    }

    @Test("After a loss all channels are subscribed to again, and only listeners that were live get a gap")
    mutating func gap() {
        let old = Listener()
        _ = table.add(old, to: room)
        _ = table.flush()
        _ = table.confirmedSubscribe(room)
        let pending = Listener()
        _ = table.add(pending, to: Array("other".utf8))
        _ = table.flush()
        let wereLive = table.lost()
        #expect(wereLive.count == 1 && wereLive[0] === old)
        #expect(table.lost().isEmpty, "each loss is reported once")
        let new = Listener()
        #expect(table.add(new, to: room) == false)
        #expect(Set(table.flush().subscribe) == [room, Array("other".utf8)])
        #expect(table.confirmedSubscribe(room).map(\.1) == [.gap, .first])
        #expect(table.confirmedSubscribe(Array("other".utf8)).map(\.1) == [.first])
    }

    @Test("A channel without listeners is not subscribed to again after a loss")
    mutating func forgotten() {
        let listener = Listener()
        _ = table.add(listener, to: room)
        _ = table.flush()
        table.remove(listener, from: room)
        _ = table.lost()
        expectFlush()
        #expect(table.count == 0)
        #expect(table.confirmedSubscribe(room).isEmpty)
    }

    @Test("After any operations in any order, the server is subscribed to the channels that have listeners")
    mutating func random() {
        var generator = SystemRandomNumberGenerator()
        var wanted: [Int: [Listener]] = [:]
        var server = ServerModel()
        for _ in 0..<20_000 {
            let channel = Int.random(in: 0..<5, using: &generator)
            let name = Array("\(channel)".utf8)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0, 1:
                let listener = Listener()
                _ = table.add(listener, to: name)
                wanted[channel, default: []].append(listener)
            case 2, 3:
                if let listener = wanted[channel]?.popLast() { table.remove(listener, from: name) }
            case 4, 5: server.execute(table.flush())
            case 6: server.confirmOne(to: &table)
            default:
                guard Int.random(in: 0..<50, using: &generator) == 0 else { continue }
                server = ServerModel()
                _ = table.lost()
            }
        }
        server.execute(table.flush())
        while server.confirmOne(to: &table) {}
        let expected = Set(wanted.filter { !$0.value.isEmpty }.keys.map { Array("\($0)".utf8) })
        #expect(server.channels == expected)
        #expect(table.count == expected.count)
        for name in expected { #expect(table.add(Listener(), to: name) == true, "live") }
    }

    private mutating func expectFlush(
        subscribe: Bool = false, unsubscribe: Bool = false, at location: SourceLocation = #_sourceLocation
    ) {
        let (subscribed, unsubscribed) = table.flush()
        #expect(subscribed == (subscribe ? [room] : []), sourceLocation: location)
        #expect(unsubscribed == (unsubscribe ? [room] : []), sourceLocation: location)
    }

    /// A model of the server: it executes commands in order and confirms them.
    private struct ServerModel {
        private(set) var channels: Set<[UInt8]> = []
        private var confirmations: [(isSubscribe: Bool, name: [UInt8])] = []

        mutating func execute(_ commands: (subscribe: [[UInt8]], unsubscribe: [[UInt8]])) {
            for name in commands.subscribe {
                channels.insert(name)
                confirmations.append((true, name))
            }
            for name in commands.unsubscribe {
                channels.remove(name)
                confirmations.append((false, name))
            }
        }

        @discardableResult
        mutating func confirmOne(to table: inout SubscriptionTable<Listener>) -> Bool {
            guard !confirmations.isEmpty else { return false }
            let (isSubscribe, name) = confirmations.removeFirst()
            if isSubscribe { _ = table.confirmedSubscribe(name) } else { table.confirmedUnsubscribe(name) }
            return true
        }
    }
}
