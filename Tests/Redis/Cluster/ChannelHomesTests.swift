import Testing

@testable import Redis

@Suite struct ChannelHomesTests {
    private static func node(_ port: UInt16) -> ClusterNode { ClusterNode(host: "10.0.0.1", port: port) }
    /// Of the slot 12182.
    private static let channel = Array("foo".utf8)

    private var homes = ChannelHomes(number: 1)

    init() throws { _ = homes.use(try ClusterMapTests.map(ClusterMapTests.whole)) }

    @Test("A channel is subscribed to at a replica, at the master without one, and nowhere before the first map")
    mutating func placing() throws {
        #expect(homes.add(Self.channel) == Self.node(7005))
        var empty = ChannelHomes(number: 0)
        #expect(empty.add(Self.channel) == nil)
        let found = empty.use(try ClusterMapTests.map([(0...16383, [7000])]))
        #expect(found == [.move(Self.channel, from: nil, to: Self.node(7000))])
    }

    @Test("Processes choose different replicas")
    func spreading() throws {
        let chosen = try (0..<2).map { number in
            var homes = ChannelHomes(number: number)
            _ = homes.use(try ClusterMapTests.map([(0...16383, [7000, 7001, 7002])]))
            return homes.add(Self.channel)
        }
        #expect(chosen == [Self.node(7001), Self.node(7002)])
    }

    @Test("A channel of a slot that has moved goes to the nodes that have it, and channels of other slots stay")
    mutating func moving() throws {
        _ = homes.add(Self.channel)
        _ = homes.add(Array("bar".utf8))
        let changes = homes.use(
            try ClusterMapTests.map([
                (0...5460, [7000, 7003]), (5461...10922, [7001, 7004]), (10923...12181, [7002, 7005]),
                (12182...12182, [7000, 7003]), (12183...16383, [7002, 7005]),
            ]))
        #expect(changes == [.move(Self.channel, from: Self.node(7005), to: Self.node(7003))])
        #expect(homes.home(of: Self.channel) == Self.node(7003))
    }

    @Test("When a replica takes over, its channels stay and have a gap: the dead master may have sent it nothing")
    mutating func failover() throws {
        _ = homes.add(Self.channel)
        let changes = homes.use(
            try ClusterMapTests.map([(0...5460, [7000]), (5461...10922, [7001]), (10923...16383, [7005])]))
        #expect(changes == [.interrupt(Self.channel, at: Self.node(7005))])
    }

    @Test(
        "When a master comes back, its channels at replicas have a gap: it may have messages that replicas lack"
    )
    mutating func returned() throws {
        _ = homes.add(Self.channel)
        _ = homes.add(Array("bar".utf8))
        #expect(homes.returned(Self.node(7002)) == [.interrupt(Self.channel, at: Self.node(7005))])
        // A channel at the master itself has lost its connection.
        _ = homes.note(Self.node(7005), isDown: true)
        #expect(homes.returned(Self.node(7002)).isEmpty)
    }

    @Test("A channel leaves a node that is down, and does not go back when it is up")
    mutating func down() throws {
        _ = homes.add(Self.channel)
        let away = homes.note(Self.node(7005), isDown: true)
        #expect(away == [.move(Self.channel, from: Self.node(7005), to: Self.node(7002))])
        #expect(homes.note(Self.node(7005), isDown: true).isEmpty)
        #expect(homes.note(Self.node(7005), isDown: false).isEmpty)
        // With all nodes down it waits at one of them.
        _ = homes.note(Self.node(7005), isDown: true)
        #expect(homes.note(Self.node(7002), isDown: true).count == 1)
        #expect(homes.home(of: Self.channel) == Self.node(7005))
    }

    @Test("With all nodes down, a channel goes to the first that is up again: the others may stay away")
    mutating func up() throws {
        _ = homes.add(Self.channel)
        _ = homes.note(Self.node(7005), isDown: true)
        _ = homes.note(Self.node(7002), isDown: true)
        #expect(homes.home(of: Self.channel) == Self.node(7005))
        let changes = homes.note(Self.node(7002), isDown: false)
        #expect(changes == [.move(Self.channel, from: Self.node(7005), to: Self.node(7002))])
        #expect(homes.note(Self.node(7005), isDown: false).isEmpty)
    }

    @Test("A refusal that names the nodes where the channel is changes nothing")
    mutating func refused() throws {
        _ = homes.add(Self.channel)
        #expect(homes.assign(12182, to: Self.node(7002)).isEmpty)
        let moved = homes.assign(12182, to: Self.node(7001))
        #expect(moved == [.move(Self.channel, from: Self.node(7005), to: Self.node(7004))])
        homes.remove(Self.channel)
        #expect(homes.home(of: Self.channel) == nil)
    }
}
