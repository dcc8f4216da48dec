import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("What a workspace costs", .serialized)
struct CreationTests {
    private func create(_ house: WorkspaceHouse, _ name: String = "work") async throws -> HTTPCall.Reply {
        try await house.call("POST", "/v1/workspaces", form: Form(["name": name], image: .png))
    }

    @Test("A new workspace has its picture, owner and default channel, and its coins are captured by a fact, once")
    func success() async throws {
        try await WorkspaceHouse.use { house in
            let reply = try await create(house)
            #expect(reply.status == 201)
            #expect(try reply.json["owner_id"]?.string == "1")
            #expect(try reply.json["description"]?.string == "")
            let picture = try reply.json["coverImage"]?.string ?? ""
            #expect(house.storedFiles.map { "/static/" + $0 } == [picture])
            let channels = try await house.sql(
                "select c.name, c.owner, c.is_default, m.user_id from channel c join channel_member m on m.channel = c.id"
            )
            #expect(channels == "일반|1|t|1")
            let captures = try await FactStream(redis: house.redis).bodies(of: "coins.capture", count: 1)
            #expect(captures.count == 1)
            #expect(captures[0]["user_id"]?.string == "1")
            #expect(captures[0]["amount"]?.int == 10)
            let reserves = house.peers.now.reserves
            #expect(reserves.keys.map { $0 } == [captures[0]["key"]?.string])
            #expect(reserves.values.map(\.isReleased) == [false])
        }
    }

    @Test("Who has not enough coins is told so, and nothing is made")
    func short() async throws {
        try await WorkspaceHouse.use { house in
            house.peers.change { $0.balances[1] = 9 }
            let reply = try await create(house)
            #expect(reply.errorCode == "E21")
            try await expectNothing(in: house, balance: 9)
        }
    }

    @Test("The coins come back when the name is taken, whatever its case and composition")
    func taken() async throws {
        try await WorkspaceHouse.use { house in
            try await house.makeWorkspace("Café")
            let count = house.storedFiles.count
            for name in ["Café", "café", "CAFE\u{301}"] {
                let reply = try await create(house, name)
                #expect(reply.errorCode == "E12", "\(name)")
            }
            #expect(house.peers.now.balance(1) == 90)
            try await eventually("removing pictures") { house.storedFiles.count == count }
        }
    }

    @Test("The coins come back when the database refuses, and nothing of the workspace is left, nor is a fact told")
    func databaseFails() async throws {
        try await WorkspaceHouse.use { house in
            _ = try await house.sql("alter table outbox rename to elsewhere")
            let reply = try await create(house)
            #expect(reply.errorCode == "E99")
            _ = try await house.sql("alter table elsewhere rename to outbox")
            try await expectNothing(in: house, balance: 100)
            let told = try await house.sql("select count(*) from outbox")
            #expect(told == "0")
        }
    }

    @Test("A reserve whose reply is lost is given back; with payment-service away nothing is made")
    func paymentFails() async throws {
        try await WorkspaceHouse.use { house in
            house.peers.change { $0.payment = .losingReplies }
            let lost = try await create(house)
            #expect(lost.errorCode == "E99")
            #expect(house.peers.now.reserves.values.map(\.isReleased) == [true])
            house.peers.change { $0.payment = .failing }
            let away = try await create(house)
            #expect(away.errorCode == "E99")
            try await expectNothing(in: house, balance: 100)
        }
    }

    @Test("A workspace without a picture, or with one that is none, costs nothing")
    func picture() async throws {
        try await WorkspaceHouse.use { house in
            for image in [nil, Form.Picture.empty, .program] {
                let reply = try await house.call(
                    "POST", "/v1/workspaces", form: Form(["name": "work"], image: image))
                #expect(reply.errorCode == "E11")
            }
            #expect(house.peers.now.reserves.isEmpty)
            try await expectNothing(in: house, balance: 100)
        }
    }

    @Test("A price of 0 asks nobody for coins")
    func free() async throws {
        try await WorkspaceHouse.use(["workspace_price": "0"]) { house in
            house.peers.change { $0.payment = .failing }
            let reply = try await create(house)
            #expect(reply.status == 201)
            let facts = try await house.sql("select count(*) from outbox where type = 'coins.capture'")
            #expect(facts == "0")
        }
    }

    private func expectNothing(in house: WorkspaceHouse, balance: Int) async throws {
        #expect(house.peers.now.balance(1) == balance)
        let rows = try await house.sql("select count(*) from workspace where slug is null")
        #expect(rows == "0")
        try await eventually("removing pictures") { house.storedFiles.isEmpty }
    }
}
