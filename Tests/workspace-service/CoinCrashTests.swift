import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Coins of a workspace whose maker dies", .serialized)
struct CoinCrashTests {
    @Test("Killed between the reserve and the commit, there is no workspace, and the coins come back")
    func beforeCommit() async throws {
        try await CoinHouse.use { house in
            let service = try await house.start()
            try await house.locking("workspace.workspace", in: "share row exclusive") {
                async let reply = house.create(on: service)
                try await house.untilBlocked()
                let held = try await house.sql("select count(*) from payment.transaction where kind = 'reserve'")
                #expect(held == "1")
                await service.kill()
                let seen = await reply
                #expect(seen == nil)
            }
            let next = try await house.start()
            try await eventually("the coins to come back") { try await house.balance() == 100 }
            #expect(try await house.workspaces == "0")
            let told = try await house.sql("select count(*) from workspace.outbox")
            #expect(told == "0")
            // Nothing stands in the way of the next try.
            let reply = await house.create(on: next)
            #expect(reply?.status == 201)
            await next.stop()
        }
    }

    @Test(
        "Killed after the commit, before anything was told: the next start captures the coins, though the reserve expired"
    )
    func beforeTelling() async throws {
        try await CoinHouse.use { house in
            let service = try await house.start()
            house.redis.signal(19)
            let reply = await house.create(on: service)
            #expect(reply?.status == 201)
            await service.kill()
            try await eventually("the reserve to expire") { try await house.balance() == 100 }
            let waiting = try await house.sql(
                "select count(*) from workspace.outbox where type = 'coins.capture' and published_at is null")
            #expect(waiting == "1")
            house.redis.signal(18)
            let next = try await house.start()
            try await eventually("the capture") { try await house.balance() == 90 }
            #expect(try await house.workspaces == "1")
            await next.stop()
        }
    }

    @Test("Killed between telling and noting it: the capture is told twice, and the coins are taken once")
    func beforeNoting() async throws {
        try await CoinHouse.use { house in
            let service = try await house.start()
            house.redis.signal(19)
            let reply = await house.create(on: service)
            #expect(reply?.status == 201)
            try await house.locking("workspace.outbox", in: "share") {
                house.redis.signal(18)
                _ = try await FactStream(redis: house.redis).bodies(of: "coins.capture", count: 1)
                try await house.untilBlocked()
                await service.kill()
            }
            let next = try await house.start()
            let captures = try await FactStream(redis: house.redis).bodies(of: "coins.capture", count: 2)
            #expect(captures[0]["key"]?.string == captures[1]["key"]?.string)
            try await eventually("both to be heard") {
                try await house.sql("select count(*) from workspace.outbox where published_at is null") == "0"
            }
            // A third, later one shows that both before it have been handled.
            _ = await house.create("other", on: next)
            try await eventually("the next capture") {
                try await house.sql(
                    "select sum(balance) from payment.balance where book = 'revenue'") == "20"
            }
            #expect(try await house.balance() == 80)
            await next.stop()
        }
    }

    @Test(
        "With the database gone in the middle the client is told of a failure, and coins and workspace agree in the end"
    )
    func databaseLost() async throws {
        try await CoinHouse.use { house in
            let service = try await house.start()
            try await house.locking("workspace.workspace", in: "share row exclusive") {
                async let reply = house.create(on: service)
                try await house.untilBlocked()
                _ = try await house.sql(
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'workspace-service' "
                        + "and datname = current_database()")
                let seen = await reply
                #expect(seen?.errorCode == "E99")
            }
            try await eventually("the coins to come back") { try await house.balance() == 100 }
            #expect(try await house.workspaces == "0")
            await service.stop()
        }
    }
}
