import Testing

@testable import Redis

@Suite struct ClusterRouterTests {
    private static let seed = ClusterNode(host: "10.0.0.1", port: 7000)
    private static func node(_ port: UInt16) -> ClusterNode { ClusterNode(host: "10.0.0.1", port: port) }

    private var router: ClusterRouter

    init() throws {
        router = ClusterRouter()
        router.use(try ClusterMapTests.map(ClusterMapTests.whole), number: 4)
    }

    private static func refusal(_ message: String) -> ClusterRefusal? {
        ClusterRefusal(RedisRefusal(message: message), from: seed)
    }

    @Test("Redirections of a cluster are recognised, and other errors are not taken for one")
    func refusals() {
        #expect(Self.refusal("MOVED 7 10.0.0.1:7002") == .moved(slot: 7, to: Self.node(7002)))
        #expect(Self.refusal("MOVED 7 :7002") == .moved(slot: 7, to: Self.node(7002)), "the host that answered")
        #expect(Self.refusal("MOVED 7 ::1:7002") == .moved(slot: 7, to: ClusterNode(host: "::1", port: 7002)))
        #expect(Self.refusal("ASK 16383 10.0.0.1:7001") == .ask(slot: 16383, at: Self.node(7001)))
        #expect(Self.refusal("TRYAGAIN Multiple keys request during rehashing of slot") == .tryAgain)
        #expect(Self.refusal("CLUSTERDOWN Hash slot not served") == .clusterDown)
        #expect(Self.refusal("LOADING Redis is loading the dataset in memory") == .loading)
        for other in ["MOVED", "MOVED 16384 a:1", "MOVED x a:1", "MOVED 1 a", "WRONGTYPE Operation", "ERR"] {
            #expect(Self.refusal(other) == nil)
        }
    }

    @Test("A slot that has moved is asked for at its new master from then on")
    mutating func moved() {
        #expect(router.node(for: 7) == Self.node(7000))
        let step = router.step(
            after: .moved(slot: 7, to: Self.node(7002)), redirections: 0, left: .seconds(1))
        #expect(step == .send(to: Self.node(7002), asking: false))
        #expect(router.node(for: 7) == Self.node(7002))
        #expect(router.node(for: 8) == Self.node(7000))
    }

    @Test("ASK sends one command to the other node, and the next one to the master of the slot again")
    mutating func ask() {
        let step = router.step(after: .ask(slot: 7, at: Self.node(7002)), redirections: 0, left: .seconds(1))
        #expect(step == .send(to: Self.node(7002), asking: true))
        #expect(router.node(for: 7) == Self.node(7000))
    }

    @Test("A command that is sent from node to node without end fails")
    mutating func endless() {
        for refusal in [ClusterRefusal.moved(slot: 7, to: Self.node(7002)), .ask(slot: 7, at: Self.node(7002))] {
            let last = ClusterRouter.mostRedirections
            #expect(router.step(after: refusal, redirections: last - 1, left: .seconds(1)) != .fail)
            #expect(router.step(after: refusal, redirections: last, left: .seconds(1)) == .fail)
        }
    }

    @Test("A cluster that is not ready is asked again after a pause, until the command's time is over")
    mutating func pauses() {
        for (refusal, pause) in [
            (ClusterRefusal.tryAgain, ClusterRouter.pauseOfSlot), (.clusterDown, ClusterRouter.pauseOfCluster),
            (.loading, ClusterRouter.pauseOfCluster),
        ] {
            #expect(router.step(after: refusal, redirections: 0, left: .seconds(1)) == .sendLater(pause))
            #expect(router.step(after: refusal, redirections: 0, left: pause) == .fail)
        }
    }

    @Test("Commands without a key stay at one master, and go to another one only when it is none any more")
    mutating func home() throws {
        #expect(router.node(for: nil) == Self.node(7001))
        router.use(try ClusterMapTests.map(ClusterMapTests.whole.reversed()), number: 4)
        #expect(router.node(for: nil) == Self.node(7001))
        router.use(try ClusterMapTests.map([(0...9000, [7000]), (9001...16383, [7004])]), number: 4)
        #expect(router.node(for: nil) == Self.node(7000))
        #expect(ClusterRouter().node(for: nil) == nil && ClusterRouter().node(for: 3) == nil)
    }

    @Test("A shard channel is published to by SPUBLISH in a cluster, and its slot is that of its name")
    func publishing() {
        let command = RedisCommand.publish(Array("text".utf8), toShardChannel: "room:channel-7")
        #expect(command.bytes == RedisCommand("PUBLISH", "room:channel-7", "text").bytes)
        #expect(command.inCluster.bytes == RedisCommand("SPUBLISH", "room:channel-7", "text").bytes)
        #expect(command.inCluster.key == "room:channel-7")
        let hint = RedisCommand("PUBLISH", "revocations", "text")
        #expect(hint.inCluster.bytes == hint.bytes && hint.key == nil)
    }
}
