import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Settings of users", .serialized)
struct SettingsTests {
    private static let path = "/v1/users/me/settings"

    @Test("A user's settings have defaults, and are the same on every instance once they are set")
    func keeping() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            let first = try await chat.call("GET", Self.path)
            #expect(first.text == #"{"readReceipts":true,"presence":true,"typing":true,"keywords":[]}"#)
            let wanted = #"""
                {"readReceipts":false,"presence":true,"typing":false,\#
                "doNotDisturb":{"from":"22:00","to":"07:30","zone":"Asia/Seoul"},"keywords":["배포","v2"]}
                """#
            let listener = try HintListener(chat.redis, "user-state")
            let put = try await chat.call("PUT", Self.path, json: wanted)
            #expect(put.status == 200 && put.text == wanted, "\(put.text)")
            let again = try await chat.call("GET", Self.path, on: 1)
            #expect(again.text == wanted)
            let other = try await chat.call("GET", Self.path, user: 2)
            #expect(other.text == first.text)
            let hint = try await listener.next()
            #expect(hint["user_id"]?.string == "1" && hint["part"]?.string == "settings")
        }
    }

    @Test("Gateways hear of changed settings later if Redis refuses the hint at first")
    func repeatedHint() async throws {
        try await ChatHarness.use { chat in
            let listener = try HintListener(chat.redis, "user-state")
            try await chat.redis.command("ACL", "SETUSER", "default", "-publish")
            let put = try await chat.call(
                "PUT", Self.path, json: #"{"readReceipts":true,"presence":false,"typing":true,"keywords":[]}"#)
            #expect(put.status == 200)
            // The subscriptions of gateways go on, so they are not told that they may have missed something.
            try await eventually("a refused hint") { try await chat.redis.command("ACL", "LOG").contains("publish") }
            try await chat.redis.command("ACL", "SETUSER", "default", "+publish")
            let hint = try await listener.next()
            #expect(hint["user_id"]?.string == "1" && hint["part"]?.string == "settings")
        }
    }

    static let wrong =
        [
            "", "[]", "{}", #"{"readReceipts":true,"presence":true,"typing":true}"#,
            #"{"readReceipts":1,"presence":true,"typing":true,"keywords":[]}"#,
            #"{"readReceipts":true,"presence":true,"typing":true,"keywords":[5]}"#,
            #"{"readReceipts":true,"presence":true,"typing":true,"keywords":["a\u0000"]}"#,
            #"{"readReceipts":true,"presence":true,"typing":true,"keywords":[\#(String(repeating: "\"a\",", count: 20))"a"]}"#,
        ]
        + [
            #""night""#, #"{"from":"22:00","to":"07:00"}"#, #"{"from":"22:00","to":"22:00","zone":"Asia/Seoul"}"#,
            #"{"from":"24:00","to":"07:00","zone":"Asia/Seoul"}"#, #"{"from":"22:00","to":"7:00","zone":"Asia/Seoul"}"#,
            #"{"from":2200,"to":"07:00","zone":"Asia/Seoul"}"#, #"{"from":"22:00","to":"07:00","zone":"Asia/Soul"}"#,
            #"{"from":"22:00","to":"07:00","zone":"FOO+3"}"#, #"{"from":"22:00","to":"07:00","zone":""}"#,
            #"{"from":"22:00","to":"07:00","zone":"posix/Asia/Seoul"}"#,
            #"{"from":"22:00","to":"07:00","zone":"a\u0000"}"#,
        ].map { #"{"readReceipts":false,"presence":true,"typing":true,"doNotDisturb":\#($0),"keywords":[]}"# }

    @Test("Settings that are not valid change nothing")
    func refusing() async throws {
        try await ChatHarness.use { chat in
            for json in Self.wrong {
                let reply = try await chat.call("PUT", Self.path, json: json)
                #expect(reply.errorCode == "E11", "\(json): \(reply.text)")
            }
            let large = try await chat.call(
                "PUT", Self.path, json: #"{"keywords":["\#(String(repeating: "a", count: 1 << 20))"]}"#)
            #expect(large.errorCode == "E11" && large.status == 413)
            let rows = try await chat.database.ask("select count(*) from chat.user_settings")
            #expect(rows == "0")
        }
    }

    @Test("Routes of the native API do not exist for other keys")
    func otherKeys() async throws {
        try await ChatHarness.use { chat in
            for key in ["sooda", "collatalk", "collabee", "gathering", "gen-2024-01", "gen-2024-07"] {
                for path in [Self.path, "\(ChatHarness.channel)/readers", "/v1/users/me/scheduled"] {
                    let reply = try await chat.call("GET", path, key: key)
                    #expect(reply.errorCode == "E97", "\(key) \(path)")
                }
            }
        }
    }

    static let moments: [(zone: String, from: Int16, to: Int16, moment: String, isQuiet: Bool)] = [
        ("Asia/Seoul", 1320, 420, "2026-01-01T13:00:00Z", true),
        ("Asia/Seoul", 1320, 420, "2026-01-01T12:59:59Z", false),
        ("Asia/Seoul", 1320, 420, "2026-01-01T21:59:00Z", true),
        ("Asia/Seoul", 1320, 420, "2026-01-01T22:00:00Z", false),
        ("Asia/Seoul", 720, 780, "2026-01-01T03:30:00Z", true),
        ("Asia/Seoul", 720, 780, "2026-01-01T04:00:00Z", false),
        // Summer time begins at 2 o'clock on 29 March 2026, and ends at 3 o'clock on 25 October.
        ("Europe/Berlin", 1320, 420, "2026-03-28T05:59:00Z", true),
        ("Europe/Berlin", 1320, 420, "2026-03-28T06:00:00Z", false),
        ("Europe/Berlin", 1320, 420, "2026-03-29T04:59:00Z", true),
        ("Europe/Berlin", 1320, 420, "2026-03-29T05:00:00Z", false),
        ("Europe/Berlin", 120, 180, "2026-03-29T01:00:00Z", false),
        ("Europe/Berlin", 120, 180, "2026-10-25T00:30:00Z", true),
        ("Europe/Berlin", 120, 180, "2026-10-25T01:30:00Z", true),
        ("Europe/Berlin", 120, 180, "2026-10-25T02:00:00Z", false),
        ("America/New_York", 0, 1, "2026-11-01T04:00:30Z", true),
        ("Asia/Kathmandu", 345, 346, "2026-01-01T00:00:00Z", true),
        ("No/Such", 0, 1439, "2026-01-01T00:00:00Z", false),
    ]

    @Test("Do-not-disturb hours follow the user's zone, past midnight and through changes of summer time")
    func quietHours() async throws {
        try await ChatDatabase.use { database in
            for row in Self.moments {
                let now = try #require(Timestamp(row.moment))
                let quiet = QuietHours(
                    from: QuietHours.TimeOfDay(minutes: row.from), to: QuietHours.TimeOfDay(minutes: row.to),
                    zone: row.zone)
                let room = RoomKey(workspace: WorkspaceID(3), id: RoomID(ChannelID(7)))
                let found = try await database.run { pool in
                    try await SettingsStore(database: pool).put(UserSettings(doNotDisturb: quiet), of: UserID(1))
                    return try await PushRecipientStore(database: pool)
                        .list([UserID(1), UserID(2)], in: room, thread: nil, at: now).map(\.isQuiet)
                }
                #expect(found == [row.isQuiet, false], "\(row)")
            }
        }
    }
}
