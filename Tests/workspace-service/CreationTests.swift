import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Creation of workspaces", .serialized)
struct CreationTests {
    private func create(_ harness: WorkspaceHarness, _ name: String = "work") async throws -> HTTPCall.Reply {
        try await harness.call("POST", "/v1/workspaces", form: Form(["name": name], image: .png))
    }

    @Test("A new workspace has its image, owner and default channel, and one fact captures its coins")
    func success() async throws {
        try await WorkspaceHarness.use { harness in
            let reply = try await create(harness)
            #expect(reply.status == 201)
            #expect(try reply.json["owner_id"]?.string == "1")
            #expect(try reply.json["description"]?.string == "")
            let image = try reply.json["coverImage"]?.string ?? ""
            #expect(harness.storedFiles.map { "/static/" + $0 } == [image])
            let channels = try await harness.sql(
                "select c.name, c.owner, c.is_default, m.user_id from channel c join channel_member m on m.channel = c.id"
            )
            #expect(channels == "일반|1|t|1")
            let captures = try await FactStream(redis: harness.redis).bodies(of: "coins.capture", count: 1)
            #expect(captures.count == 1)
            #expect(captures[0]["user_id"]?.string == "1")
            #expect(captures[0]["amount"]?.int == 10)
            let reserves = harness.peers.now.reserves
            #expect(reserves.keys.map { $0 } == [captures[0]["key"]?.string])
            #expect(reserves.values.map(\.isReleased) == [false])
        }
    }

    @Test("A user with too few coins gets E21, and nothing is created")
    func short() async throws {
        try await WorkspaceHarness.use { harness in
            harness.peers.change { $0.balances[1] = 9 }
            let reply = try await create(harness)
            #expect(reply.errorCode == "E21")
            try await expectNothing(in: harness, balance: 9)
        }
    }

    @Test("A user owns a limited number of workspaces, even if several are created or transferred concurrently")
    func limit() async throws {
        try await WorkspaceHarness.use(["user_workspaces": "2", "workspace_price": "0", "database_connections": "8"]) {
            harness in
            let codes = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 1...6 {
                    group.addTask {
                        let reply = try await create(harness, "work \(number)")
                        return reply.status == 201 ? "ok" : reply.errorCode
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.sorted() == ["E11", "E11", "E11", "E11", "ok", "ok"])
            try await eventually("the removal of images") { harness.storedFiles.count == 2 }
            let other = try await harness.makeWorkspace("other", owner: 2)
            try await harness.invite(1, to: other, by: 2)
            let path = "/v1/workspaces/\(other)/transfer/ownership"
            let given = try await harness.call("PUT", path, user: 2, json: #"{"owner_id":"1"}"#)
            #expect(given.errorCode == "E11")
        }
    }

    @Test("A workspace has a limited number of members")
    func members() async throws {
        try await WorkspaceHarness.use(["workspace_members": "2"]) { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            func invite(_ user: Int) async throws -> String {
                try await harness.call(
                    "POST", "/v1/workspaces/\(id)/members", json: #"{"email":"\#(user)@example.com"}"#
                ).errorCode
            }
            #expect(try await invite(3) == "E11")
            #expect(try await invite(2) == "E12")
            let listed = try await harness.call("GET", "/v1/workspaces/\(id)/members")
            #expect(try harness.texts(listed, "user_id") == ["1", "2"])
        }
    }

    @Test("The coins return if the name is taken, regardless of case and Unicode composition")
    func taken() async throws {
        try await WorkspaceHarness.use { harness in
            try await harness.makeWorkspace("Café")
            let count = harness.storedFiles.count
            for name in ["Café", "café", "CAFE\u{301}"] {
                let reply = try await create(harness, name)
                #expect(reply.errorCode == "E12", "\(name)")
            }
            #expect(harness.peers.now.balance(1) == 90)
            try await eventually("the removal of images") { harness.storedFiles.count == count }
        }
    }

    @Test("If the database rejects the workspace, the coins return, nothing is left, and no fact is published")
    func databaseFails() async throws {
        try await WorkspaceHarness.use { harness in
            _ = try await harness.sql("alter table outbox rename to elsewhere")
            let reply = try await create(harness)
            #expect(reply.errorCode == "E99")
            _ = try await harness.sql("alter table elsewhere rename to outbox")
            try await expectNothing(in: harness, balance: 100)
            let facts = try await harness.sql("select count(*) from outbox")
            #expect(facts == "0")
        }
    }

    @Test("A reserve is released after its reply was lost; without payment-service nothing is created")
    func paymentFails() async throws {
        try await WorkspaceHarness.use { harness in
            harness.peers.change { $0.payment = .losingReplies }
            let lost = try await create(harness)
            #expect(lost.errorCode == "E99")
            #expect(harness.peers.now.reserves.values.map(\.isReleased) == [true])
            harness.peers.change { $0.payment = .failing }
            let away = try await create(harness)
            #expect(away.errorCode == "E99")
            try await expectNothing(in: harness, balance: 100)
        }
    }

    @Test("A workspace with a missing or invalid image is refused and costs nothing")
    func image() async throws {
        try await WorkspaceHarness.use { harness in
            for image in [nil, Form.Image.empty, .program] {
                let reply = try await harness.call(
                    "POST", "/v1/workspaces", form: Form(["name": "work"], image: image))
                #expect(reply.errorCode == "E11")
            }
            #expect(harness.peers.now.reserves.isEmpty)
            try await expectNothing(in: harness, balance: 100)
        }
    }

    @Test("With a price of 0 no coins are reserved")
    func free() async throws {
        try await WorkspaceHarness.use(["workspace_price": "0"]) { harness in
            harness.peers.change { $0.payment = .failing }
            let reply = try await create(harness)
            #expect(reply.status == 201)
            let facts = try await harness.sql("select count(*) from outbox where type = 'coins.capture'")
            #expect(facts == "0")
        }
    }

    private func expectNothing(in harness: WorkspaceHarness, balance: Int) async throws {
        #expect(harness.peers.now.balance(1) == balance)
        let rows = try await harness.sql("select count(*) from workspace where slug is null")
        #expect(rows == "0")
        try await eventually("the removal of images") { harness.storedFiles.isEmpty }
    }
}
