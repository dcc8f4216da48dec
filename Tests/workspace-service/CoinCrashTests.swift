import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Coin charges across crashes", .serialized)
struct CoinCrashTests {
    @Test("After a crash between reserve and commit there is no workspace, and the coins return")
    func beforeCommit() async throws {
        try await CoinHarness.use { harness in
            let service = try await harness.start()
            try await harness.locking("workspace.workspace", in: "share row exclusive") {
                async let reply = harness.create(on: service)
                try await harness.untilBlocked()
                let held = try await harness.sql("select count(*) from payment.transaction where kind = 'reserve'")
                #expect(held == "1")
                await service.kill()
                let seen = await reply
                #expect(seen == nil)
            }
            let next = try await harness.start()
            try await eventually("the return of the coins") { try await harness.balance() == 100 }
            #expect(try await harness.workspaces == "0")
            let facts = try await harness.sql("select count(*) from workspace.outbox")
            #expect(facts == "0")
            // The next attempt succeeds.
            let reply = await harness.create(on: next)
            #expect(reply?.status == 201)
            await next.stop()
        }
    }

    @Test(
        "After a crash between commit and publishing, a restart captures the coins, even if the reserve has expired"
    )
    func beforeTelling() async throws {
        try await CoinHarness.use { harness in
            let service = try await harness.start()
            harness.redis.signal(19)
            let reply = await harness.create(on: service)
            #expect(reply?.status == 201)
            await service.kill()
            try await eventually("the expiry of the reserve") { try await harness.balance() == 100 }
            let waiting = try await harness.sql(
                "select count(*) from workspace.outbox where type = 'coins.capture' and published_at is null")
            #expect(waiting == "1")
            harness.redis.signal(18)
            let next = try await harness.start()
            try await eventually("the capture") { try await harness.balance() == 90 }
            #expect(try await harness.workspaces == "1")
            await next.stop()
        }
    }

    @Test(
        "After a crash between publishing and marking, the capture is published twice, and the coins are charged once")
    func beforeNoting() async throws {
        try await CoinHarness.use { harness in
            let service = try await harness.start()
            harness.redis.signal(19)
            let reply = await harness.create(on: service)
            #expect(reply?.status == 201)
            try await harness.locking("workspace.outbox", in: "share") {
                harness.redis.signal(18)
                _ = try await FactStream(redis: harness.redis).bodies(of: "coins.capture", count: 1)
                try await harness.untilBlocked()
                await service.kill()
            }
            let next = try await harness.start()
            let facts = FactStream(redis: harness.redis)
            try await eventually("the capture again") {
                try await facts.all().filter { $0.type == "coins.capture" }.count >= 2
            }
            let captures = try await facts.all().filter { $0.type == "coins.capture" }
            #expect(captures[0].body["key"]?.string == captures[1].body["key"]?.string)
            try await eventually("both captures") {
                try await harness.sql("select count(*) from workspace.outbox where published_at is null") == "0"
            }
            // Facts are handled in order: a later capture shows that both were handled.
            _ = await harness.create("other", on: next)
            try await eventually("the next capture") {
                try await harness.sql(
                    "select sum(balance) from payment.balance where book = 'revenue'") == "20"
            }
            #expect(try await harness.balance() == 80)
            await next.stop()
        }
    }

    @Test("A client that goes away during the creation has its coins released; they do not wait for their expiry")
    func clientGone() async throws {
        // Coins that return by themselves on a busy machine would not be released any more.
        try await CoinHarness.use(reserveLifetime: "600s") { harness in
            let service = try await harness.start()
            try await harness.locking("workspace.workspace", in: "share row exclusive") {
                let client = try harness.beginCreation(on: service)
                try await harness.untilBlocked()
                client.finishSending()
                try await eventually("the release") {
                    try await harness.sql("select state from payment.reserve") == "released"
                }
            }
            #expect(try await harness.balance() == 100)
            #expect(try await harness.workspaces == "0")
            await service.stop()
        }
    }

    @Test(
        "If the database is lost during the creation, the call fails, and the charge matches the outcome in the end"
    )
    func databaseLost() async throws {
        try await CoinHarness.use { harness in
            let service = try await harness.start()
            try await harness.locking("workspace.workspace", in: "share row exclusive") {
                async let reply = harness.create(on: service)
                try await harness.untilBlocked()
                _ = try await harness.sql(
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'workspace-service' "
                        + "and datname = current_database()")
                let seen = await reply
                #expect(seen?.errorCode == "E99")
            }
            try await eventually("the return of the coins") { try await harness.balance() == 100 }
            #expect(try await harness.workspaces == "0")
            await service.stop()
        }
    }
}
