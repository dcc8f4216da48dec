import Contract
import Testing
import Wire

@testable import realtime_gateway

@Suite("Events of a /me client")
struct MeCallTests {
    @Test("Each event is read with its optional members")
    func reading() throws {
        let room = RoomID(ChannelID(7))
        let rows: [(String, String, MeCall)] = [
            (
                "send", #"{"room":"channel-7","content":"a","client_id":"c"}"#,
                .send(room, content: "a", clientID: "c", thread: nil, toRoom: false)
            ),
            (
                "send", #"{"room":"channel-7","content":"","client_id":"c","thread":3,"toRoom":true}"#,
                .send(room, content: "", clientID: "c", thread: 3, toRoom: true)
            ),
            ("read", #"{"room":"channel-7","seq":0}"#, .read(room, seq: 0, thread: nil)),
            ("history", #"{"room":"channel-7"}"#, .history(room, .beforeSeq(.max), limit: 50)),
            ("history", #"{"room":"channel-7","afterSeq":3,"limit":200}"#, .history(room, .afterSeq(3), limit: 200)),
            ("history", #"{"room":"channel-7","afterRev":3,"limit":500}"#, .history(room, .afterRev(3), limit: 500)),
            ("typing", #"{"room":"channel-7","thread":null}"#, .typing(room, thread: nil)),
            (
                "presence", #"{"users":["1","2","1"]}"#,
                .presence(watching: [UserID(1), UserID(2)], isAway: nil)
            ),
            ("presence", #"{"users":[],"state":"active"}"#, .presence(watching: [], isAway: false)),
            ("presence", #"{"state":"away"}"#, .presence(watching: nil, isAway: true)),
        ]
        for (name, text, call) in rows { #expect(try MeCall(name, JSONValue(parsing: text)) == call) }
    }

    @Test(
        "A malformed event is refused",
        arguments: [
            ("send", #"{"room":"channel-7","content":"a"}"#), ("send", #"{"room":"channel-7","client_id":"c"}"#),
            ("send", #"{"room":"7","content":"a","client_id":"c"}"#), ("send", "null"),
            ("send", #"{"room":"channel-7","content":"a","client_id":"c","toRoom":true}"#),
            ("send", #"{"room":"channel-7","content":"a","client_id":"c","thread":3,"toRoom":"true"}"#),
            ("send", #"{"room":"channel-7","content":"a","client_id":"c","thread":0}"#),
            ("read", #"{"room":"channel-7"}"#), ("read", #"{"room":"channel-7","seq":-1}"#),
            ("history", #"{"room":"channel-7","afterSeq":1,"beforeSeq":2}"#),
            ("history", #"{"room":"channel-7","limit":0}"#), ("history", #"{"room":"channel-7","limit":201}"#),
            ("history", #"{"room":"channel-7","afterRev":3,"limit":501}"#),
            ("typing", "[]"), ("presence", "{}"), ("presence", #"{"state":"asleep"}"#),
            ("presence", #"{"users":"1"}"#), ("presence", #"{"users":["me"]}"#), ("presence", #"{"users":[1]}"#),
            ("presence", "{\"users\":[" + (0...500).map { "\"\($0)\"" }.joined(separator: ",") + "]}"),
        ])
    func malformed(name: String, text: String) throws {
        let json = try JSONValue(parsing: text)
        #expect { try MeCall(name, json) } throws: { ($0 as? Failure)?.code == .invalidRequest }
    }

    @Test("An unknown event is refused")
    func unknown() { #expect(throws: Failure.unknownRoute) { try MeCall("shout", nil) } }

    @Test("A flood is refused with the time to wait, and in the end its socket is closed")
    func flood() {
        var limiter = MeCallLimiter(.init(rate: 10, burst: 2, messageSize: 1, underWay: 5, refused: 2), now: 0)
        #expect(limiter.begin(now: 0) == .admitted)
        #expect(limiter.begin(now: 0) == .admitted)
        #expect(limiter.begin(now: 0) == .refused(retryAfter: .milliseconds(100)))
        #expect(limiter.begin(now: 100_000_000) == .admitted, "one that waits goes on")
        for _ in 0..<2 { #expect(limiter.begin(now: 100_000_000) != .admitted) }
        #expect(limiter.begin(now: 100_000_000) == .close)
    }

    @Test("Events that are not answered yet are bounded")
    func underWay() {
        var limiter = MeCallLimiter(.init(rate: 10, burst: 10, messageSize: 1, underWay: 1, refused: 9), now: 0)
        #expect(limiter.begin(now: 0) == .admitted)
        #expect(limiter.begin(now: 0) == .refused(retryAfter: .seconds(1)))
        limiter.finished()
        #expect(limiter.begin(now: 0) == .admitted)
    }

    @Test("At most one typing event in three seconds is forwarded for each room")
    func typing() {
        var throttle = TypingThrottle()
        let rooms = [RoomID(ChannelID(7)), RoomID(DMID(7))]
        let first = rooms.map { room in throttle.admit(room, now: 1) }
        let early = throttle.admit(rooms[0], now: 3_000_000_000)
        let later = throttle.admit(rooms[0], now: 3_000_000_001)
        #expect(first == [true, true])
        #expect(!early)
        #expect(later)
    }
}
