import Testing
import Wire

@testable import maructl

@Suite("The rules of the doctor")
struct DoctorRulesTests {
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    @Test(
        "A clock that is more than two seconds off is wrong, here, in Postgres or in Redis",
        arguments: [
            (0, 0, 0, true), (1900, -1900, 10, true), (2100, 0, 0, false), (0, -2100, 0, false), (0, 0, 2100, false),
        ])
    func clocks(here: Int64, postgres: Int64, redis: Int64, isFine: Bool) throws {
        let theirs = Timestamp(milliseconds: now.milliseconds + here)
        let status = try json(
            #"{"now":"\#(theirs)","postgres":{"clockOffsetMilliseconds":\#(postgres)},"redis":{"clockOffsetMilliseconds":\#(redis)}}"#
        )
        let finding = DoctorRules.clock("chat-service", status, askedAt: now, answeredAt: now)
        #expect((finding.level == .ok) == isFine)
    }

    @Test(
        "A reply that took a minute is not a wrong clock, unless its time is outside of that minute",
        arguments: [(-62_100, false), (-60_000, true), (-30_000, true), (0, true), (2100, false)])
    func slowReply(theirs: Int64, isFine: Bool) throws {
        let asked = Timestamp(milliseconds: now.milliseconds - 60_000)
        let status = try json(#"{"now":"\#(Timestamp(milliseconds: now.milliseconds + theirs))"}"#)
        let finding = DoctorRules.clock("chat-service", status, askedAt: asked, answeredAt: now)
        #expect((finding.level == .ok) == isFine)
    }

    @Test("A service that is not ready is wrong, with its state")
    func readiness() throws {
        let finding = DoctorRules.readiness("chat-service", try json(#"{"state":"draining","version":"1.0.0"}"#))
        #expect(finding == Finding("chat-service", .wrong, "draining, version 1.0.0"))
    }

    @Test("Services of different versions are a warning that names them")
    func versions() throws {
        let (old, new) = (try json(#"{"version":"1.0.0"}"#), try json(#"{"version":"1.1.0"}"#))
        #expect(DoctorRules.versions([("a", old), ("b", old)], own: "1.0.0").level == .ok)
        let finding = DoctorRules.versions([("a", old), ("b", new)], own: "1.1.0")
        #expect(finding == Finding("versions", .warning, "maructl 1.1.0, a 1.0.0, b 1.1.0"))
        #expect(DoctorRules.versions([("a", old)], own: "1.1.0").level == .warning)
    }

    @Test(
        "A store that is down is wrong, and one that is nearly full is told",
        arguments: [(70, "ok"), (85, "warning"), (96, "wrong")])
    func limits(connections: Int, level: String) throws {
        let status = try json(
            #"{"postgres":{"up":true,"connections":\#(connections),"connectionLimit":100},"redis":{"up":false}}"#)
        let findings = DoctorRules.limits("chat-service", status)
        #expect(findings.contains(Finding("redis of chat-service", .wrong, "it does not answer")))
        #expect(findings.first { $0.check == "connections to postgres" }?.level.rawValue == level)
    }

    @Test("A disk that is nearly full is reported", arguments: [(50, "ok"), (14, "warning"), (4, "wrong")])
    func disk(free: Int, level: String) throws {
        let status = try json(#"{"disk":{"freeBytes":\#(free),"sizeBytes":100}}"#)
        #expect(DoctorRules.disk("chat-service", status)?.level.rawValue == level)
        #expect(DoctorRules.disk("chat-service", try json("{}")) == nil)
    }

    @Test("A schema that lacks a migration is wrong, and one of a newer release is a warning")
    func migrations() throws {
        func level(_ applied: Int) throws -> Finding.Level {
            DoctorRules.migrations("a", try json(#"{"known":5,"applied":[{"number":1},{"number":\#(applied)}]}"#)).level
        }
        #expect(try level(5) == .ok && level(4) == .wrong && level(6) == .warning)
    }

    @Test("Entries that wait too long are reported, but open reports may wait for people")
    func lags() throws {
        func findings(_ queue: String, _ seconds: Int) throws -> [Finding.Level] {
            DoctorRules.lags(
                "a", try json(#"{"queues":[{"queue":"\#(queue)","waiting":3,"oldestSeconds":\#(seconds)}]}"#)
            ).map(\.level)
        }
        #expect(try findings("outbox", 10) == [.ok] && findings("outbox", 61) == [.warning])
        #expect(try findings("outbox", 601) == [.wrong] && findings("reports", 100_000) == [.ok])
        let stream = try json(#"{"queues":[{"queue":"stream push","waiting":1001,"underWay":3}]}"#)
        #expect(DoctorRules.lags("a", stream).map(\.level) == [.warning])
    }

    @Test(
        "A certificate is reported two weeks before it ends", arguments: [(20, "ok"), (13, "warning"), (-1, "wrong")])
    func certificates(days: Int64, level: String) {
        let end = Timestamp(milliseconds: now.milliseconds + days * 86_400_000)
        #expect(DoctorRules.certificate(end, at: now).level.rawValue == level)
        #expect(DoctorRules.certificate(nil, at: now).level == .wrong)
    }
}

@Suite("The plan of migrations")
struct MigrationPlanTests {
    @Test("The plan has the migrations that a schema lacks, with the impact of each")
    func plan() throws {
        var plan = MigrationPlan()
        let program = try JSONValue(
            parsing: #"[{"number":1,"name":"one","impact":"online"},{"number":4,"name":"four","impact":"rewrites"}]"#)
        plan.add(
            "auth-service", program: program,
            schema: try JSONValue(parsing: #"{"schema":"auth","applied":[{"number":1}]}"#))
        plan.add("realtime-gateway", program: program, schema: try JSONValue(parsing: #"{"schema":"","applied":[]}"#))
        #expect(plan.steps == [.init(service: "auth-service", number: 4, name: "four", impact: "rewrites")])
        #expect(
            plan.lines.last == "auth-service  4       four  rewrites  a table is written anew; nobody uses it meanwhile"
        )
        #expect(MigrationPlan().lines == ["no migration would run"])
    }
}
