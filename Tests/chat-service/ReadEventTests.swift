import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Read events", .serialized)
struct ReadEventTests {
    private static func reads(_ events: [JSONValue]) -> [JSONValue] { events.filter { $0["type"]?.string == "read" } }

    private static func read(_ chat: ChatHarness, _ seq: Int, user: Int64) async throws {
        let reply = try await chat.call("PUT", "\(ChatHarness.channel)/read", user: user, json: #"{"seq":\#(seq)}"#)
        #expect(reply.status == 200, "\(reply.text)")
    }

    @Test("A moved read marker is published with its member's counts, and one that does not move is not")
    func events() async throws {
        try await ChatHarness.use { chat in
            for text in ["one", "@n2", "@n2 three"] { _ = try await chat.send(text) }
            try await chat.set(user: 3, readReceipts: false)
            let listener = try RoomEventListener(chat.redis)
            try await Self.read(chat, 1, user: 2)
            let first = Self.reads(try await listener.events { Self.reads($0).count == 1 })
            #expect(first[0]["user_id"]?.string == "2")
            #expect(first[0]["seq"]?.int == 1)
            #expect(first[0]["unreadCount"]?.int == 2)
            #expect(first[0]["mentionCount"]?.int == 2)
            #expect(first[0]["hiddenFrom"]?.elements?.map(\.string) == ["3"])
            // A marker never moves back, and a history call moves it to the end.
            try await Self.read(chat, 1, user: 2)
            _ = try await chat.history(user: 2)
            _ = try await chat.history(user: 3)
            let rest = Self.reads(try await listener.events { Self.reads($0).count == 2 })
            let (own, hidden) = (
                rest.first { $0["user_id"]?.string == "2" }, rest.first { $0["user_id"]?.string == "3" }
            )
            #expect(own?["seq"]?.int == 3)
            #expect(own?["unreadCount"]?.int == 0)
            // User 3 does not share markers.
            #expect(hidden?["seq"]?.int == 3)
            #expect(hidden?["hiddenFrom"] == nil)
        }
    }

    @Test("While another instance has just published a member's marker, this one waits, and then publishes the newest")
    func instances() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            for text in ["one", "two", "three"] { _ = try await chat.send(text) }
            // As if another instance had published two markers, and stood still then.
            try await chat.redis.command("SET", "read:2:channel-7", "1")
            try await chat.redis.command("SET", "read:4:channel-7", "3")
            let listener = try RoomEventListener(chat.redis)
            try await Self.read(chat, 2, user: 2)
            try await Self.read(chat, 3, user: 4)
            let began = ContinuousClock.now
            try await Self.read(chat, 2, user: 3)
            let first = Self.reads(try await listener.events { !Self.reads($0).isEmpty })
            #expect(first.map { $0["user_id"]?.string } == ["3"])
            let exists = try await chat.redis.command("EXISTS", "read:3:channel-7")
            // It lasts a second.
            if ContinuousClock.now - began < .milliseconds(900) { #expect(exists == ["1"]) }
            // The marker moves on by another instance meanwhile.
            let path = "\(ChatHarness.channel)/read"
            _ = try await chat.call("PUT", path, user: 2, json: #"{"seq":3}"#, on: 1)
            try await chat.redis.command("DEL", "read:2:channel-7")
            let rest = Self.reads(try await listener.events { !Self.reads($0).isEmpty })
            // The right to publish it lasts a second. After that the other instance may publish it too.
            #expect(rest.map { $0["user_id"]?.string }.withoutRepeats == ["2"])
            #expect(rest.allSatisfy { $0["seq"]?.int == 3 && $0["unreadCount"]?.int == 0 })
        }
    }

    @Test("A moved read marker that Redis refuses to count at first is counted later")
    func repeatedCount() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("one")
            let redis = chat.redis
            try await redis.command("ACL", "SETUSER", "default", "-incr")
            try await Self.read(chat, 1, user: 2)
            // The gateways' subscriptions go on, so their kept starts stay.
            try await eventually("a refused count") { try await redis.command("ACL", "LOG").contains("incr") }
            try await redis.command("ACL", "SETUSER", "default", "+incr")
            try await eventually("the count") { try await redis.command("GET", "read-moves:2") != [""] }
        }
    }

    @Test("A moved read marker is published later if its member's counts cannot be read at first")
    func failing() async throws {
        try await ChatHarness.use { chat in
            for text in ["one", "two"] { _ = try await chat.send(text) }
            let listener = try RoomEventListener(chat.redis)
            let path = "/internal/blocks"
            let before = chat.peers.now.count(path)
            chat.peers.change { $0.isBlocksDown = true }
            try await Self.read(chat, 1, user: 2)
            // A call is sent twice at most, so the third one belongs to another attempt.
            let peers = chat.peers
            try await eventually("another attempt") { peers.now.count(path) >= before + 3 }
            chat.peers.change { $0.isBlocksDown = false }
            let events = Self.reads(try await listener.events { !Self.reads($0).isEmpty })
            #expect(events.map { $0["user_id"]?.string } == ["2"])
            #expect(events.map { $0["seq"]?.int } == [1] && events.map { $0["unreadCount"]?.int } == [1])
        }
    }

    @Test("A member with counts that cannot be read holds up the read markers of no others, and is published later")
    func brokenMember() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("one")
            // The blocks of user 2 are known from here on, those of user 3 are not.
            try await chat.untilCached("/internal/blocks") { _ = try await chat.unread(user: 2) }
            let listener = try RoomEventListener(chat.redis)
            chat.peers.change { $0.isBlocksDown = true }
            // At once, so that they share a batch.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in [2, 3] as [Int64] { group.addTask { try await Self.read(chat, 1, user: user) } }
                try await group.waitForAll()
            }
            let first = Self.reads(try await listener.events { !Self.reads($0).isEmpty })
            #expect(first.map { $0["user_id"]?.string } == ["2"])
            chat.peers.change { $0.isBlocksDown = false }
            let rest = Self.reads(try await listener.events { !Self.reads($0).isEmpty })
            #expect(rest.map { $0["user_id"]?.string } == ["3"])
        }
    }

    @Test("A room with members that cannot be read holds up the read markers of no other room, and is published later")
    func brokenRoom() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { state in
                state.channels[8]?.members = [1, 2, 3]
                state.brokenChannels = [8]
            }
            for channel in [7, 8] as [Int64] { _ = try await chat.send("one", to: channel) }
            let listener = try RoomEventListener(chat.redis)
            // At once, so that they share a batch.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in [2, 3] as [Int64] {
                    for channel in [8, 7] {
                        let path = "/v1/workspaces/3/channels/\(channel)/read"
                        group.addTask { _ = try await chat.call("PUT", path, user: user, json: #"{"seq":1}"#) }
                    }
                }
                try await group.waitForAll()
            }
            let first = Self.reads(try await listener.events { Self.reads($0).count == 2 })
            #expect(first.map { $0["room"]?.string } == ["channel-7", "channel-7"])
            chat.peers.change { $0.brokenChannels = [] }
            let rest = Self.reads(try await listener.events { Self.reads($0).count == 2 })
            #expect(rest.map { $0["room"]?.string } == ["channel-8", "channel-8"])
            #expect(rest.map { $0["seq"]?.int } == [1, 1] && rest.map { $0["unreadCount"]?.int } == [0, 0])
        }
    }

    @Test("In a room with more than 200 members a marker is for the member's own devices")
    func largeRoom() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { state in
                state.workspaces[3] = Set(1...201)
                state.channels[7]?.members = Set(1...201)
            }
            _ = try await chat.send("one")
            let listener = try RoomEventListener(chat.redis)
            try await Self.read(chat, 1, user: 2)
            let events = Self.reads(try await listener.events { !Self.reads($0).isEmpty })
            #expect(events[0]["hiddenFrom"] == nil)
            #expect(events[0]["seq"]?.int == 1)
        }
    }
}

@Suite("Coalescing of read markers")
struct ReadCoalescerTests {
    private static func move(_ seq: Int64, user: Int64 = 1, room: Int64 = 7) -> ReadCoalescer.Move {
        ReadCoalescer.Move(
            key: ReadCoalescer.Key(user: UserID(user), room: RoomID(ChannelID(room))), workspace: WorkspaceID(3),
            seq: seq)
    }

    private static let second: UInt64 = 1_000_000_000

    @Test("A member's marker in a room is published at most once a second, and always the furthest")
    func coalescing() {
        var reads = ReadCoalescer()
        reads.add(Self.move(5))
        reads.add(Self.move(4))
        #expect(reads.take(at: 10 * Self.second, limit: 9) == [Self.move(5)])
        reads.add(Self.move(6))
        reads.add(Self.move(6, user: 2))
        #expect(reads.take(at: 11 * Self.second - 1, limit: 9) == [Self.move(6, user: 2)])
        #expect(!reads.isEmpty)
        reads.add(Self.move(8))
        #expect(reads.take(at: 11 * Self.second, limit: 9) == [Self.move(8)])
        #expect(reads.isEmpty)
        #expect(reads.take(at: 12 * Self.second, limit: 9) == [])
    }

    @Test("A marker that another instance was first to publish is published at the next turn")
    func putBack() {
        var reads = ReadCoalescer()
        reads.add(Self.move(5))
        for move in reads.take(at: 10 * Self.second, limit: 9) { reads.putBack(move) }
        reads.add(Self.move(6))
        #expect(reads.take(at: 10 * Self.second + 1, limit: 9) == [Self.move(6)])
    }

    @Test("A marker that could not be published is tried again after the pause, ten times, with the furthest seq")
    func failures() {
        var reads = ReadCoalescer()
        reads.add(Self.move(5))
        for turn in 1...11 as ClosedRange<UInt64> {
            let taken = reads.take(at: turn * Self.second, limit: 9)
            #expect(taken.map(\.seq) == [turn == 1 ? 5 : 6])
            for move in taken { reads.failed(move) }
            #expect(reads.take(at: turn * Self.second + 1, limit: 9) == [])
            if turn == 1 { reads.add(Self.move(6)) }
        }
        #expect(reads.isEmpty)
    }

    @Test("A batch takes no more than its limit, and the next one the rest")
    func limit() {
        var reads = ReadCoalescer()
        for user in 1...5 as ClosedRange<Int64> { reads.add(Self.move(1, user: user)) }
        #expect(reads.take(at: Self.second, limit: 3).count == 3)
        #expect(reads.take(at: Self.second, limit: 3).count == 2)
        #expect(reads.isEmpty)
    }
}
