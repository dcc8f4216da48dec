import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Crashes", .serialized)
struct CrashTests {
    /// The service as a process with its own Postgres and Redis, and four users that send messages.
    private struct Scene: Stoppable {
        let cluster: PostgresCluster
        let process: ChatProcess
        let senders = (1...4 as ClosedRange<Int64>).map { PersistentSender($0) }

        init() async throws {
            cluster = try await PostgresCluster.start()
            process = try await ChatProcess(on: cluster)
            process.peers.change { $0.channels[8]?.members = [1, 2, 3, 4] }
        }

        var database: ChatDatabase { process.database }
        var redis: RedisServer { process.redis }
        var acknowledged: Int { senders.reduce(0) { $0 + $1.log.count } }

        /// Waits until this many more messages are acknowledged: the service works again.
        func progress(_ count: Int = 30) async throws {
            let goal = acknowledged + count
            try await eventually("\(count) more messages") { self.acknowledged >= goal }
        }

        func stop() async {
            for sender in senders { sender.end() }
            await process.stop()
            await cluster.stop()
        }
    }

    @Test(
        "An acknowledged message is stored and published exactly once while the service, Postgres and Redis are killed"
    )
    func killing() async throws {
        try await Scene().lent(to: Self.kill)
    }

    private static func kill(_ scene: Scene) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in scene.senders { group.addTask { await sender.run(scene.process) } }
            group.addTask {
                for _ in 0..<5 {
                    try await scene.progress()
                    await scene.process.kill()
                    try await scene.process.start()
                }
                try await scene.progress()
                await scene.cluster.kill()
                // Sessions of the killed server still hold its shared memory for a moment.
                try await eventually("recovery") {
                    (try? await scene.cluster.start()) != nil
                }
                try await scene.progress()
                await scene.redis.kill()
                try await scene.progress()
                try await scene.redis.start()
                try await scene.progress()
                for sender in scene.senders { sender.end() }
            }
            // `waitForAll` would wait for the senders after an error of the other task too.
            for try await _ in group {}
        }
        try await check(scene)
    }

    private static func check(_ scene: Scene) async throws {
        let rows = try await scene.database.ask(
            "select client_id, room, seq, id from chat.message order by room, seq"
        ).split(separator: "\n").map { $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init) }
        let stored = rows.map { row in
            PersistentSender.Acknowledged(
                name: row[0], channel: Int64(row[1]) ?? 0, seq: Int64(row[2]) ?? 0, id: row[3])
        }
        let acknowledged = scene.senders.flatMap(\.log)
        #expect(scene.senders.reduce(0) { $0 + $1.refusals } > 0, "no send was interrupted")
        #expect(stored.count == acknowledged.count)
        #expect(Set(stored) == Set(acknowledged))
        for channel in 7...8 as ClosedRange<Int64> {
            let seqs = stored.filter { $0.channel == channel }.map(\.seq)
            #expect(seqs == Array(1...Int64(max(1, seqs.count))))
        }
        try await eventually("publishing") {
            try await scene.database.ask("select count(*) from chat.outbox where published_at is null") == "0"
        }
        let parts = try await scene.redis.command("XRANGE", "push", "-", "+")
        let pushed = Set(parts.indices.filter { parts[$0] == "id" }.map { parts[$0 + 1] })
        #expect(pushed == Set(stored.map { "channel-\($0.channel):\($0.seq)" }))
    }

    @Test("After a crash, a repeated client_id returns the first message, and a different body is rejected")
    func repeated() async throws {
        try await Scene().lent { scene in
            let first = try await scene.process.send("hello", user: 1, clientID: "x")
            #expect(first.status == 201, "\(first.text)")
            for _ in 0..<2 {
                await scene.process.kill()
                try await scene.process.start()
                let again = try await scene.process.send("hello", user: 1, clientID: "x")
                #expect(try again.json["chat_id"]?.string == first.json["chat_id"]?.string)
                let other = try await scene.process.send("goodbye", user: 1, clientID: "x")
                #expect(other.status == 409)
            }
            let count = try await scene.database.ask("select count(*) from chat.message")
            #expect(count == "1")
        }
    }
}
