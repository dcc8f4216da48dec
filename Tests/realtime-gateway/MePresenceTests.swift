import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Presence, typing and badges on /me sockets", .serialized)
struct MePresenceTests {
    private static let crashLimit = Duration.seconds(30)

    private static func watch(_ users: [Int64], by client: SocketClient) throws {
        let list = users.map { "\"\($0)\"" }.joined(separator: ",")
        try client.send(#"42/me,1["presence",{"users":[\#(list)]}]"#)
    }

    /// Waits until the newest state of a user that a client was told is this one.
    private static func until(
        _ user: Int64, is state: String, for client: SocketClient, within patience: Duration = .seconds(60)
    ) async throws {
        try await client.until(within: patience, "\(user) \(state)") { record in
            let told = record.events.filter { $0.name == "presence" }.compactMap { $0.body["users"]?[named: "\(user)"] }
            return told.last?.string == state
        }
    }

    @Test("R16: Presence is right within 30 seconds of the crash of a gateway, and after Redis comes back empty")
    func crash() async throws {
        try await GatewayHarness.use { harness in
            let (first, second) = (try await harness.startProcess(), try await harness.startProcess())
            let watcher = try await harness.device(1, port: first.port)
            try Self.watch([2, 3], by: watcher)
            try await Self.until(2, is: "offline", for: watcher)
            _ = try await harness.device(2, port: second.port)
            let stays = try await harness.device(3, port: first.port)
            try await Self.until(2, is: "online", for: watcher)
            try await Self.until(3, is: "online", for: watcher)
            await second.kill()
            try await Self.until(2, is: "offline", for: watcher, within: Self.crashLimit)
            try await harness.redis.command("FLUSHALL")
            let other = try await harness.startProcess()
            let late = try await harness.device(4, port: other.port)
            try Self.watch([3], by: late)
            try await Self.until(3, is: "online", for: late, within: Self.crashLimit)
            #expect(!stays.record.isEnded)
            for node in [first, other] { await node.stop() }
        }
    }

    @Test("A17: presence and typing never cross a block, and presence is sent to users of the same workspace")
    func blocks() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { state in
                state.workspace = [1, 2, 3, 4]
                state.blocked = [2: [4]]
            }
            try await harness.withNode { node in
                let mina = try await harness.device(1, port: node.port)
                let joon = try await harness.device(2, port: node.port)
                let stranger = try await harness.device(90, port: node.port)
                let blocked = try await harness.device(4, port: node.port)
                for client in [mina, stranger, blocked] { try Self.watch([2, 90], by: client) }
                try await Self.until(2, is: "online", for: mina)
                for client in [stranger, blocked] { try await Self.until(2, is: "offline", for: client) }
                try await Self.until(90, is: "offline", for: mina)
                // Typing is told to live sockets alone, and after a message they are live.
                try await harness.say("live")
                for client in [mina, joon, blocked] {
                    try await client.until("a message") { $0.events.contains { $0.name == "message" } }
                }
                try joon.send(#"42/me,2["typing",{"room":"channel-7"}]"#)
                try await mina.until("typing") { $0.events.contains { $0.name == "typing" } }
                #expect(!blocked.record.events.contains { $0.name == "typing" })
                harness.peers.change { $0.blocked[1] = [2] }
                try await harness.redis.command("PUBLISH", "invalidate:blocks", #"{"user_id":"1","blocked":"2"}"#)
                try await Self.until(2, is: "offline", for: mina)
                harness.peers.change { $0.blocked = [:] }
                try await harness.redis.command("PUBLISH", "invalidate:blocks", #"{"user_id":"1","blocked":"2"}"#)
                try await Self.until(2, is: "online", for: mina)
                // After leaving the workspace a user is seen no more.
                harness.peers.change { $0.workspace = [1, 3, 4] }
                try await harness.redis.command(
                    "PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"2"}"#)
                try await Self.until(2, is: "offline", for: mina)
            }
        }
    }

    @Test("A17: A user that blocks another one just as that one asks for their presence looks offline")
    func blockedMeanwhile() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let blocked = try await harness.device(1, port: node.port)
                let blocker = try await harness.device(2, port: node.port)
                try Self.watch([2], by: blocker)
                try await Self.until(2, is: "online", for: blocker)
                let before = harness.peers.count("/internal/blocks")
                harness.peers.change { $0.heldPaths = ["/internal/acquaintances"] }
                try Self.watch([2], by: blocked)
                try await eventually("an answer without the block") { harness.peers.count("/internal/blocks") > before }
                harness.peers.change { $0.blocked = [2: [1]] }
                try await harness.redis.command("PUBLISH", "invalidate:blocks", #"{"user_id":"2","blocked":"1"}"#)
                // It comes after the other hint.
                let hint = DirectoryHint(.edited, of: WorkspaceID(3), .workspace(nil))
                try await harness.redis.command(
                    "PUBLISH", DirectoryHint.redisChannel, String(decoding: hint.encoded(), as: UTF8.self))
                try await blocked.until("the hints") { $0.events.contains { $0.name == "workspace" } }
                harness.peers.change { $0.heldPaths = [] }
                // A question that is held for too long fails, and its client asks again.
                try await blocked.until("an answer") { $0.acknowledged.contains(1) }
                try Self.watch([2], by: blocked)
                try await Self.until(2, is: "offline", for: blocked)
                #expect(!blocked.record.events.contains { $0.body["users"]?[named: "2"]?.string == "online" })
            }
        }
    }

    @Test(
        "A8: A guest is told of the presence of the people of their channels, and of nobody else once one of them has left"
    )
    func guestPresence() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { state in
                state.guests = [2]
                state.channels = [7: [2, 4], 8: [2, 3]]
            }
            try await harness.withNode { node in
                let guest = try await harness.device(2, port: node.port)
                let seen = [try await harness.device(3, port: node.port), try await harness.device(4, port: node.port)]
                try Self.watch([3, 4], by: guest)
                for user in Int64(3)...4 { try await Self.until(user, is: "online", for: guest) }
                let departures: [(channel: Int64, user: Int64, hidden: Int64)] = [(7, 4, 4), (8, 2, 3)]
                for (channel, user, hidden) in departures {
                    harness.peers.change { _ = $0.channels[channel]?.remove(user) }
                    try await harness.redis.command(
                        "PUBLISH", AccessHint.redisChannel,
                        #"{"workspace_id":"3","channel_id":"\#(channel)","user_id":"\#(user)"}"#)
                    try await Self.until(hidden, is: "offline", for: guest)
                }
                #expect(seen.allSatisfy { !$0.record.isEnded })
            }
        }
    }

    @Test(
        "A start is kept for a client that comes back within a minute, unless something of the user's own has changed")
    func kept() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                @Sendable func visit() async throws {
                    let client = try await harness.device(1, port: node.port)
                    client.drop()
                }
                let reads: @Sendable () -> Int = { harness.peers.now.startedUsers.joined().count { $0 == 1 } }
                try await visit()
                try await eventually("a kept start") {
                    let before = reads()
                    try await visit()
                    return reads() == before
                }
                // A start from before a message would have other counts than the badge.
                let before = reads()
                try await harness.say("since")
                try await visit()
                // A read without an answer in time is repeated.
                #expect(reads() > before)
                let notify = #"PUBLISH user-state {"user_id":"1","part":"notify","session":"9"}"#
                for change in ["INCR read-moves:1", notify] {
                    let before = reads()
                    try await harness.redis.command(change.split(separator: " ").map(String.init))
                    try await eventually("a start that is read") {
                        try await visit()
                        return reads() > before
                    }
                    try await visit()
                }
            }
        }
    }

    @Test("A guest gets no events of channels and members that they do not see")
    func guests() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { state in
                state.guests = [2]
                state.channels[8] = [1, 3]
            }
            try await harness.withNode { node in
                let member = try await harness.device(1, port: node.port)
                let guest = try await harness.device(2, port: node.port)
                let plans = ChannelView(
                    workspace: WorkspaceID(3), id: ChannelID(8), name: "plans", description: nil, image: nil,
                    owner: UserID(1), isPrivate: false, createdAt: .now)
                let hints = [
                    DirectoryHint(.edited, of: WorkspaceID(3), .channel(ChannelID(8), plans)),
                    DirectoryHint(.entered, of: WorkspaceID(3), .member(UserID(70), of: nil)),
                ]
                for hint in hints {
                    try await harness.redis.command(
                        "PUBLISH", DirectoryHint.redisChannel, String(decoding: hint.encoded(), as: UTF8.self))
                }
                try await member.until("the member") { $0.events.contains { $0.name == "member" } }
                #expect(member.record.events.contains { $0.name == "room" })
                try await guest.until("a reason to read the workspace again") { record in
                    record.events.contains { $0.name == "workspace" && $0.body["name"] == nil }
                }
                #expect(!guest.record.events.contains { ["room", "member"].contains($0.name) })
            }
        }
    }

    @Test("ready is the first event of a /me socket, even if its client asks for presence before")
    func readyFirst() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                harness.peers.change { $0.isHoldingStarts = true }
                let client = try await SocketClient.joined("/me", port: node.port, token: harness.token(1, "native"))
                try Self.watch([1], by: client)
                try await client.until("the answer") { $0.acknowledged.contains(1) }
                // States that were told at once would come before the next answer.
                try client.send(#"42/me,2["presence",{"state":"active"}]"#)
                try await client.until("the next answer") { $0.acknowledged.contains(2) }
                #expect(client.record.events.isEmpty)
                harness.peers.change { $0.isHoldingStarts = false }
                try await Self.until(1, is: "online", for: client)
                #expect(client.record.events.first?.name == "ready")
            }
        }
    }

    @Test("A badge is sent after a message, and again only if it has changed")
    func badge() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.device(1, port: node.port)
                @Sendable func badges(_ record: SocketClient.Record) -> [Int?] {
                    record.events.filter { $0.name == "badge" }.map { $0.body["unreadCount"]?.int }
                }
                try await client.until("the badge of the start") { badges($0) == [0] }
                let counts = harness.peers.count("/internal/badges")
                try await harness.say("unread, but not for the badge")
                try await eventually("another count") { harness.peers.count("/internal/badges") > counts }
                harness.peers.change { $0.badges[1] = 2 }
                try await harness.say("another one")
                try await client.until("a new badge") { badges($0) == [0, 2] }
            }
        }
    }
}
