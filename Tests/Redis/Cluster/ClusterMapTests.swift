import Testing

@testable import Redis

@Suite struct ClusterMapTests {
    private static let seed = ClusterNode(host: "10.0.0.1", port: 7000)

    private static func node(_ port: UInt16) -> ClusterNode { ClusterNode(host: "10.0.0.1", port: port) }

    /// A reply to CLUSTER SLOTS: ranges with the ports of their nodes, the master first.
    static func slots(_ ranges: [(ClosedRange<Int>, [UInt16])], host: String = "10.0.0.1") -> RedisValue {
        .array(
            ranges.map { slots, ports in
                .array(
                    [.integer(Int64(slots.lowerBound)), .integer(Int64(slots.upperBound))]
                        + ports.map {
                            .array([.bytes(Array(host.utf8)), .integer(Int64($0)), .bytes(Array("id".utf8))])
                        })
            })
    }

    static func map(_ ranges: [(ClosedRange<Int>, [UInt16])], epoch: Int64 = 1) throws -> ClusterMap {
        try ClusterMap(slots: slots(ranges), epoch: epoch, from: seed)
    }

    static let whole: [(ClosedRange<Int>, [UInt16])] = [
        (0...5460, [7000, 7003]), (5461...10922, [7001, 7004]), (10923...16383, [7002, 7005]),
    ]

    @Test(
        "The slot of a key is that of Redis, and that of its part in braces",
        arguments: [
            ("123456789", 0x31C3), ("foo", 12182), ("{foo}bar", 12182), ("a{foo}{b}", 12182), ("", 0),
        ])
    func slot(name: String, slot: Int) { #expect(HashSlot.of(name.utf8) == slot) }

    @Test("Empty braces, and braces without an end, count as part of the name")
    func braces() {
        #expect(HashSlot.of("{}foo".utf8) != HashSlot.of("foo".utf8))
        #expect(HashSlot.of("{foo".utf8) != HashSlot.of("foo".utf8))
    }

    @Test("The map has the master and the replicas of each slot")
    func parsing() throws {
        let map = try Self.map(Self.whole)
        #expect(map.masters == [7000, 7001, 7002].map(Self.node))
        #expect(map.owners(of: 0)?.master == Self.node(7000))
        #expect(map.owners(of: 16383)?.replicas == [Self.node(7005)])
        #expect(map.isComplete)
        #expect(try !Self.map(Array(Self.whole.dropLast())).isComplete)
        #expect(try Self.map(Array(Self.whole.dropLast())).owners(of: 16383) == nil)
    }

    @Test("A master with several ranges of slots is one group, and the order of a reply does not matter")
    func order() throws {
        let parts: [(ClosedRange<Int>, [UInt16])] = [(100...16383, [7001]), (0...50, [7000]), (51...99, [7001])]
        let map = try Self.map(parts)
        #expect(map.masters == [7000, 7001].map(Self.node))
        #expect(map.isSame(as: try Self.map(parts.reversed(), epoch: 5)))
    }

    @Test("A node that does not know its own address has that of the connection", arguments: ["", "?"])
    func unknownHost(host: String) throws {
        let map = try ClusterMap(slots: Self.slots([(0...16383, [7000])], host: host), epoch: 1, from: Self.seed)
        #expect(map.masters == [Self.seed])
    }

    @Test(
        "A reply of another form is an error",
        arguments: [
            RedisValue.integer(1), .array([.array([.integer(0), .integer(1)])]),
            slots([(0...16384, [7000])]), .array([.array([.integer(0), .integer(1), .array([.integer(1)])])]),
        ])
    func malformed(reply: RedisValue) {
        #expect(throws: RedisError.self) { try ClusterMap(slots: reply, epoch: 1, from: Self.seed) }
    }

    @Test("A slot that was assigned has its new master, known or not")
    func assigning() throws {
        let old = try Self.map(Self.whole)
        var map = old
        map.assign(7, to: Self.node(7001))
        map.assign(8, to: Self.node(9000))
        map.assign(99999, to: Self.node(7001))
        #expect(map.owners(of: 7)?.master == Self.node(7001))
        #expect(map.owners(of: 7)?.replicas == [Self.node(7004)])
        #expect(map.owners(of: 8)?.master == Self.node(9000))
        #expect(map.slotsMoved(since: old) == 2)
        #expect(!map.isSame(as: old))
    }
}
