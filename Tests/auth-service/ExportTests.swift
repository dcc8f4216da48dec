import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Exports of accounts")
struct ExportTests {
    private func sql(_ fixture: AuthFixture, _ statement: String) async throws -> String {
        String(try await fixture.service.database.run(sql: statement).prefix { $0 != "\n" })
    }

    @Test("D2: an export has the records and files of every service, and its owner hears of it by mail")
    func everything() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join(device: "phone")
            let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            for number in UInt8(1)...2 { _ = try await fixture.upload(png + [number], user.access) }
            let file = (0..<(2 << 20) + 17).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            fixture.peers.setExport(files: ["channelChats/a.bin": file])
            #expect(try await fixture.exportCall("GET", user).text == #"{"state":"none"}"#)
            let archive = try await fixture.export(user)
            #expect(try JSONValue(parsing: archive.bytes("export.json"))["user_id"]?.string == user.id)
            let profile = try #require(archive.records("account/profile.json").first)
            #expect(profile["email"]?.string == "a@b.kr" && profile["nickname"]?.string == "새싹")
            #expect(archive.records("account/devices.json").compactMap { $0["token"]?.string } == ["phone"])
            #expect(archive.records("account/sessions.json").count == 1)
            for portrait in archive.names.filter({ $0.hasPrefix("files/profiles/") }) {
                #expect(archive.bytes(portrait).prefix(8) == png[...])
            }
            #expect(archive.names.count { $0.hasPrefix("files/profiles/") } == 2)
            #expect(
                archive.records("chats/messages.json").compactMap { $0["content"]?.string } == ["one", "two", "three"])
            #expect(archive.bytes("files/channelChats/a.bin") == file)
            #expect(archive.records("workspaces/memberships.json").count == 1)
            #expect(archive.records("payments/ledger.json").count == 1)
            #expect(!archive.text("account/profile.json").contains("argon2"))
            let mail = try await fixture.mail(to: "a@b.kr", about: "데이터가 준비되었습니다")
            #expect(!mail.text.contains("/static/"))
        }
    }

    @Test("D2: an export survives services that fail and a builder that dies, and is built once")
    func durable() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            fixture.peers.setExport(isFailing: true)
            #expect(try await fixture.exportCall("POST", user).text == #"{"state":"pending"}"#)
            try await eventually("a failed attempt") {
                try await sql(fixture, "select attempts > 0 and due_at > requested_at from auth.export") == "t"
            }
            // A request meanwhile orders nothing anew.
            #expect(try await fixture.exportCall("POST", user).text == #"{"state":"pending"}"#)
            fixture.peers.setExport(isFailing: false)
            // An instance that died holds a lease and has left a file without an export.
            _ = try await sql(
                fixture,
                "insert into auth.export_file (name, account, due_at) values ('exports/left.zip', \(user.id), 0)")
            try await fixture.withInstance(["files_folder": fixture.service.files.path]) { _ in
                try await eventually(within: .seconds(30), "the export") {
                    _ = try await sql(
                        fixture,
                        "update auth.export set due_at = 0 where due_at > \((Timestamp.now + .seconds(65)).milliseconds) or attempts < 3"
                    )
                    return try await fixture.exportCall("GET", user).json["state"]?.string == "ready"
                }
                // Files of attempts that were overtaken are due at once. An instance that ends leaves its own for an hour.
                try await eventually("a single file") {
                    try await sql(fixture, "select count(*) from auth.export_file where due_at > 0") == "1"
                }
            }
        }
    }

    @Test("D2: one export a day; a new one replaces the old one and ends its link")
    func oneADay() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let first = try #require(try await fixture.readyExport(user)["url"]?.string)
            let refused = try await fixture.exportCall("POST", user)
            #expect(refused.errorCode == "E98" && refused.status == 429)
            let wait = try #require(refused.headers["retry-after"].flatMap { Int($0) })
            #expect((86_000...86_400).contains(wait))
            _ = try await sql(fixture, "update auth.export set requested_at = requested_at - 86400001")
            let second = try #require(try await fixture.readyExport(user)["url"]?.string)
            #expect(first != second)
            #expect(try await fixture.service.call("GET", "/v1" + first, key: nil).errorCode == "E13")
            #expect(try await fixture.service.call("GET", "/v1" + second, key: nil).status == 200)
        }
    }

    @Test("D2: a link works for its file and its owner alone, in parts too, and ends with a new password and its week")
    func links() async throws {
        try await AuthFixture.run { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.join("b@b.kr"))
            let json = try await fixture.readyExport(user)
            let url = try #require(json["url"]?.string)
            let expiry = try #require(json["expiresAt"]?.string.flatMap { Timestamp($0) })
            #expect(expiry - .now > .seconds(7 * 86_400 - 60))
            let whole = try await fixture.service.call("GET", "/v1" + url, key: nil)
            #expect(
                whole.headers["content-type"] == "application/zip"
                    && whole.headers["cache-control"] == "private, no-store")
            #expect(whole.headers["content-disposition"] == #"attachment; filename="maru-export.zip""#)
            let part = try await fixture.service.call("GET", "/v1" + url, key: nil, headers: [("Range", "bytes=2-9")])
            #expect(part.status == 206 && part.body == Array(whole.body[2..<10]))
            let path = String(url.prefix { $0 != "?" })
            #expect(try await fixture.service.call("GET", "/v1" + path, key: nil).errorCode == "E01")
            #expect(try await fixture.service.call("GET", "/v1" + url + "x", key: nil).errorCode == "E02")
            #expect(try await fixture.service.call("GET", "/v1" + path, token: user.access).status == 200)
            #expect(try await fixture.service.call("GET", "/v1" + path, token: other.access).errorCode == "E13")
            let change = try await fixture.service.call(
                "PUT", "/v1/users/me/password", token: user.access,
                json: #"{"password":"\#(AuthFixture.password)","newPassword":"Haetnim-77!"}"#)
            #expect(change.status == 200)
            #expect(try await fixture.service.call("GET", "/v1" + url, key: nil).errorCode == "E02")
            let next = try #require(try await fixture.exportCall("GET", user).json["url"]?.string)
            #expect(try await fixture.service.call("GET", "/v1" + next, key: nil).status == 200)
            _ = try await sql(fixture, "update auth.export set expires_at = 1; update auth.export_file set due_at = 1")
            #expect(try await fixture.service.call("GET", "/v1" + next, key: nil).errorCode == "E13")
            #expect(try await fixture.exportCall("GET", user).text == #"{"state":"none"}"#)
        }
    }

    @Test("D2: the file of an expired or deleted export is erased")
    func erased() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            _ = try await fixture.readyExport(user)
            #expect(fixture.storedExports.count == 1)
            let reply = try await fixture.service.call(
                "DELETE", "/v1/users/me", token: user.access, json: #"{"password":"\#(AuthFixture.password)"}"#)
            #expect(reply.status == 200)
            // The sweep runs at the start of an instance, and every half minute.
            try await fixture.withInstance(["files_folder": fixture.service.files.path]) { _ in
                try await eventually("the end of the file") { fixture.storedExports.isEmpty }
            }
            #expect(try await sql(fixture, "select count(*) from auth.export") == "0")
        }
    }

    @Test("D2: an export that never succeeds fails, and can be ordered again at once")
    func failing() async throws {
        try await AuthFixture.run(["export_size": "1KB"]) { fixture async throws in
            let user = try await fixture.join()
            fixture.peers.setExport(files: ["channelChats/a.bin": [UInt8](repeating: 7, count: 4096)])
            _ = try await fixture.exportCall("POST", user)
            try await eventually("the end") {
                try await fixture.exportCall("GET", user).json["state"]?.string == "failed"
            }
            #expect(try await fixture.exportCall("POST", user).text == #"{"state":"pending"}"#)
        }
    }
}
