import EventLoop
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Number of searches at a time", .serialized)
struct SearchLimitTests {
    /// Searches wait for the locked index until the test ends that.
    private static let settings = [
        "search_timeout": "600s", "database_timeout": "3600s", "database_connections": "8",
    ]

    /// Searches as a user on an instance.
    private static func search(_ chat: ChatHarness, on instance: Int, user: Int64 = 1) async throws -> HTTPCall.Reply {
        try await chat.call("GET", "/v1/workspaces/3/search?q=%ED%9A%8C", user: user, on: instance)
    }

    private static func expectRefusal(_ reply: HTTPCall.Reply) {
        #expect(reply.status == 429)
        #expect(reply.errorCode == "E98")
        #expect(reply.headers["retry-after"] == "1")
    }

    /// Starts a search of user 1 on each of the instances named, which waits for the locked index, and runs `body`. Returns the
    /// statuses of all started searches after the lock has gone.
    private static func holding(
        _ chat: ChatHarness, on instances: [Int], _ body: @escaping @Sendable (StartedSearches) async throws -> Void
    ) async throws -> [Int] {
        _ = try await chat.send("회의")
        try await chat.untilIndexed()
        let started = StartedSearches(chat: chat)
        try await chat.locking("search_message") {
            for instance in instances { try await started.add { try await search(chat, on: instance).status } }
            try await body(started)
        }
        return try await started.statuses()
    }

    @Test(
        "A user runs two searches at a time, on whichever instances; one more is refused with E98, and searches of others are not"
    )
    func allInstances() async throws {
        try await ChatHarness.use(instances: 2, Self.settings) { chat in
            let statuses = try await Self.holding(chat, on: [0, 1]) { started in
                for instance in 0...1 { Self.expectRefusal(try await Self.search(chat, on: instance)) }
                try await started.add { try await Self.search(chat, on: 0, user: 2).status }
            }
            #expect(statuses == [200, 200, 200])
            // The leases of ended searches were given back.
            for instance in [0, 1, 0, 1] {
                try await eventually("a search") { try await Self.search(chat, on: instance).status == 200 }
            }
            try await eventually("no lease") { try await chat.redis.command("EXISTS", "searches:1") == ["0"] }
        }
    }

    @Test("A search stops counting on every instance when its client disconnects")
    func disconnection() async throws {
        try await ChatHarness.use(instances: 2, Self.settings) { chat in
            let statuses = try await Self.holding(chat, on: [0]) { _ in
                let token = chat.peers.tokens.token(user: 1, key: "native")
                let client = try RawConnection(port: chat.instances[0].running.publicAddress.port)
                try client.send(
                    "GET /v1/workspaces/3/search?q=a HTTP/1.1\r\nHost: a\r\nSesacKey: native\r\nAuthorization: \(token)\r\n\r\n"
                )
                try await StartedSearches.wait(for: 2, in: chat)
                Self.expectRefusal(try await Self.search(chat, on: 1))
                client.finishSending()
                try await eventually("one lease") { try await chat.redis.command("ZCARD", "searches:1") == ["1"] }
            }
            #expect(statuses == [200])
            #expect(try await Self.search(chat, on: 1).status == 200)
        }
    }

    @Test(
        "The lease of an instance that died counts until it expires, and the record of leases expires with the last one"
    )
    func expiry() async throws {
        try await ChatHarness.use { chat in
            let (past, future) = (Timestamp.now - .seconds(60), Timestamp.now + .seconds(600))
            for lease in ["a", "b", "c"] {
                try await chat.redis.command("ZADD", "searches:1", "\(past.milliseconds)", lease)
            }
            #expect(try await Self.search(chat, on: 0).status == 200)
            try await chat.redis.command("ZADD", "searches:1", "\(future.milliseconds)", "d")
            try await eventually("a search beside one lease") {
                try await Self.search(chat, on: 0).status == 200
            }
            let expiry = try await chat.redis.command("PEXPIRETIME", "searches:1").first.flatMap { Int64($0) }
            #expect(expiry == future.milliseconds)
            try await chat.redis.command("ZADD", "searches:1", "\(future.milliseconds)", "e")
            Self.expectRefusal(try await Self.search(chat, on: 0))
        }
    }

    @Test("A search costs one round trip to Redis")
    func roundTrips() async throws {
        try await ChatHarness.use { chat in
            // Redis learns the script.
            #expect(try await Self.search(chat, on: 0).status == 200)
            let before = try await chat.redis.calls(of: "evalsha")
            // Two searches may still have their leases, and then the next one is refused.
            let attempts = Mutex(0)
            for _ in 0..<3 {
                try await eventually("a search") {
                    attempts.withLock { $0 += 1 }
                    return try await Self.search(chat, on: 0).status == 200
                }
            }
            let trips = try await chat.redis.calls(of: "evalsha") - before
            #expect((3...attempts.withLock(\.self)).contains(trips))
        }
    }

    @Test("While Redis is away, each instance counts its own searches")
    func withoutRedis() async throws {
        try await ChatHarness.use(Self.settings) { chat in
            let statuses = try await Self.holding(chat, on: [0]) { started in
                await chat.redis.stop()
                // One of them is the second search, and the other one is refused while the lock is held.
                for _ in 1...2 { started.begin { try await Self.search(chat, on: 0).status } }
                try await eventually("a refusal") { started.ended == 1 }
            }
            #expect(statuses.sorted() == [200, 200, 429])
        }
    }
}

/// Searches that wait for the locked index.
private final class StartedSearches: Sendable {
    private let chat: ChatHarness
    private let tasks = Mutex<[Task<Int, any Error>]>([])
    private let endings = Mutex(0)

    init(chat: ChatHarness) { self.chat = chat }

    /// How many have ended.
    var ended: Int { endings.withLock(\.self) }

    func begin(_ search: @escaping @Sendable () async throws -> Int) {
        let task = Task {
            let status = try await search()
            endings.withLock { $0 += 1 }
            return status
        }
        tasks.withLock { $0.append(task) }
    }

    /// Starts a search and waits until it counts. It may wait for the lock itself, or behind another search in the same session.
    func add(_ search: @escaping @Sendable () async throws -> Int) async throws {
        begin(search)
        try await Self.wait(for: tasks.withLock(\.count), in: chat)
    }

    /// Waits until some searches of the users 1 and 2 count.
    static func wait(for count: Int, in chat: ChatHarness) async throws {
        try await eventually("\(count) searches") {
            var leases = 0
            for user in 1...2 {
                leases += try await chat.redis.command("ZCARD", "searches:\(user)").first.flatMap { Int($0) } ?? 0
            }
            return leases == count
        }
    }

    func statuses() async throws -> [Int] {
        var statuses: [Int] = []
        for task in tasks.withLock(\.self) { statuses.append(try await task.value) }
        return statuses
    }
}
