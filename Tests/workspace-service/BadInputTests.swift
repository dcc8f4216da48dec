import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Bad input", .serialized)
struct BadInputTests {
    private static func contents(_ harness: WorkspaceHarness) async throws -> String {
        try await harness.sql("table workspace; table member; table channel; table channel_member; table outbox")
    }

    /// Bodies that every route refuses, with their content types.
    private static let bodies: [(type: String, body: [UInt8])] = [
        ("application/json", Array("{".utf8)), ("application/json", Array("[]".utf8)),
        ("application/json", Array(#""text""#.utf8)), ("application/json", Array("5".utf8)),
        ("application/json", Array(#"{"name":5,"description":5,"email":5,"owner_id":[],"owner_ship":{}}"#.utf8)),
        ("application/json", Array(#"{"name":"a\u0000b","email":"a\u0000b","owner_id":"-1"}"#.utf8)),
        ("application/json", Array(#"{"name":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)),
        ("application/json", Array(String(repeating: "[", count: 10_000).utf8)),
        ("application/json", Array(#"{"name":"\#(String(repeating: "a", count: 600_000))","owner_id":"0"}"#.utf8)),
        ("application/json", Array(#"{"name":"\ud800","email":"\ud800","owner_id":"1.5"}"#.utf8)),
        ("multipart/form-data", Array("x".utf8)),
        ("multipart/form-data; boundary=b", Array("no boundary in it".utf8)),
        (
            "multipart/form-data; boundary=b",
            Array("--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nx".utf8)
        ),
    ]

    @Test("An invalid body is E11 on every route that reads one, and writes nothing")
    func bodies() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            let before = try await Self.contents(harness)
            let files = harness.storedFiles
            // The routes of the native API have true statuses, and tests of their own.
            let rows = AccessTable.rows.filter {
                $0.key != "native" && ($0.form(name: "a") != nil || ($0.json ?? "{}") != "{}")
            }
            #expect(rows.count == 10)
            for row in rows {
                for (type, body) in Self.bodies {
                    let reply = try await harness.instances[0].call(
                        row.method, row.path(fixture), key: row.key,
                        token: harness.peers.tokens.token(user: 1, key: row.key), headers: [("Content-Type", type)],
                        body: body)
                    #expect(
                        reply.errorCode == "E11", "\(row.route) \(String(decoding: body.prefix(60), as: UTF8.self))")
                    #expect(reply.status == 400)
                }
            }
            #expect(try await Self.contents(harness) == before)
            try await eventually("the removal of images") { harness.storedFiles == files }
            #expect(harness.peers.now.reserves.isEmpty)
        }
    }

    @Test("An impossible id is E13 on every route")
    func ids() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            let before = try await Self.contents(harness)
            for row in AccessTable.rows where row.route.contains("{") && !row.route.contains("/static/") {
                for id in [
                    "0", "-1", "x", "1e3", "%31%00", "9223372036854775808", "184467440737095516160", "%E0%A5%A7",
                ] {
                    let paths = ["{id}", "{channel_id}", "{user_id}"].filter { row.route.contains($0) }.map {
                        row.path(replacing: $0, with: id, fixture)
                    }
                    for path in paths {
                        let reply = try await harness.call(row.method, path, key: row.key, json: row.json)
                        #expect(reply.errorCode == "E13", "\(row.method) \(path)")
                    }
                }
            }
            #expect(try await Self.contents(harness) == before)
        }
    }

    @Test("Invalid names, descriptions and new owners are E11 and write nothing")
    func values() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            let base = "/v1/workspaces/\(fixture.workspace)"
            let before = try await Self.contents(harness)
            let long = String(repeating: "가", count: 31)
            let text = String(repeating: "a", count: 1001)
            let calls: [(String, String, String)] = [
                ("PUT", base, #"{"name":""}"#), ("PUT", base, #"{"name":"  "}"#),
                ("PUT", base, #"{"name":"\#(long)"}"#),
                ("PUT", base, #"{"description":"\#(text)"}"#), ("POST", base + "/channels", "{}"),
                ("POST", base + "/channels", #"{"name":null}"#), ("POST", base + "/channels", #"{"name":"\#(long)"}"#),
                ("POST", base + "/channels", #"{"name":"x","description":"\#(text)"}"#),
                ("PUT", base + "/channels/\(fixture.channel)", #"{"name":"a/b"}"#),
                ("PUT", base + "/channels/\(fixture.channel)", #"{"name":""}"#), ("POST", base + "/members", "{}"),
                ("POST", base + "/members", #"{"email":null}"#), ("PUT", base + "/transfer/ownership", "{}"),
                ("PUT", base + "/transfer/ownership", #"{"owner_id":null}"#),
                ("PUT", base + "/channels/\(fixture.channel)/transfer/ownership", #"{"owner_id":"1"}"#),
            ]
            for (method, path, json) in calls {
                let reply = try await harness.call(method, path, json: json)
                #expect(reply.errorCode == "E11" && reply.status == 422, "\(path) \(json.prefix(40)): \(reply.text)")
            }
            let keyword = try await harness.call("GET", base + "/search?keyword=" + String(repeating: "a", count: 1025))
            #expect(keyword.errorCode == "E11")
            for query in ["keyword=%FF", "keyword=%"] {
                let reply = try await harness.call("GET", base + "/search?" + query)
                #expect(["E11", ""].contains(reply.errorCode), "\(query)")
            }
            #expect(try await Self.contents(harness) == before)
        }
    }

    @Test("A trailing question mark and a content type without a body are accepted")
    func habits() async throws {
        try await WorkspaceHarness.use { harness in
            let fixture = try await Fixture.make(1, in: harness)[0]
            let base = "/v1/workspaces/\(fixture.workspace)"
            for path in [base + "?", base + "/channels/my?", base + "/channels/general?", "/v1/workspaces?"] {
                let reply = try await harness.call(
                    "GET", path, key: "sooda", headers: [("Content-Type", "application/json")])
                #expect(reply.status == 200, "\(path)")
            }
            let left = try await harness.call(
                "DELETE", base + "/exit", user: 2, key: "gathering", headers: [("Content-Type", "application/json")])
            #expect(left.status == 200)
        }
    }
}

extension AccessRow {
    /// The path in a fixture with one segment replaced.
    fileprivate func path(replacing place: String, with text: String, _ fixture: Fixture) -> String {
        AccessRow(route.replacing(place, with: text), .members).path(fixture)
    }
}
