import Contract
import EventLoop
import Foundation
import HTTP
import Postgres
import Redis
import ServiceKit
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@Suite("The log of calls")
struct CallLogTests {
    /// Words of users. None of them may be logged.
    private enum Planted {
        static let name = "plantedname"
        static let text = "plantedtext"
        static let email = "planted@example.com"
    }

    private static let migrations = [
        Migration(number: 1, name: "labels", sql: Array("create table label (name text primary key)".utf8))
    ]
    private static let insert = Statement.write("insert label", "insert into label (name) values ($1)")

    /// Runs a service with routes that fail, are slow and take users' words.
    private func run(
        _ settings: [String: String] = [:], level: LogLevel = .info,
        _ body: (SampleService, LogFile) async throws -> Void
    ) async throws {
        let file = LogFile()
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        let sample = try await SampleService(settings, database: database, log: file.log(level)) { builder in
            let labels = try await builder.database(
                "labels", migrations: Self.migrations)
            builder.publicRoutes { routes in
                routes.signedIn(.get, "/v1/labels/{name}") { call, _ in
                    let name = try call.text("name")
                    for _ in 1...2 { try await labels.query(Self.insert, name) }
                    return call.done()
                }
                routes.open(.get, "/v1/slow") { call in
                    try await EventLoop.current?.sleep(for: .milliseconds(1100))
                    return call.done()
                }
                routes.open(.get, "/v1/fails") { _ in throw Failure.serverError }
            }
        }
        try await body(sample, file)
        await sample.stop()
    }

    @Test("A call is one line with method, route, status, user, profile, duration in milliseconds and request id")
    func fields() async throws {
        try await run { sample, file in
            let signedIn = [
                ("SesacKey", "sooda"), ("Authorization", sample.token(user: 5)), ("X-Request-Id", "first-call"),
            ]
            #expect(try await sample.call("GET", "/v1/things/7?a=b", signedIn).status == 200)
            let open = [("SesacKey", "gathering"), ("X-Request-Id", "second-call")]
            #expect(try await sample.call("POST", "/v1/echo", open, body: "{}").status == 400)
            #expect(try await sample.call("GET", "/v1/nothing", [("X-Request-Id", "third-call")]).status == 400)
            #expect(try await sample.call("GET", "/v1/fails", [("SesacKey", "native")]).status == 500)

            let lines = try await file.lines().filter { $0["route"] != nil }
            #expect(lines.count == 4)
            let first = try #require(lines.first)
            #expect(first["method"] as? String == "GET" && first["route"] as? String == "/v1/things/{id}")
            #expect(first["status"] as? Int == 200 && first["user"] as? Int == 5)
            #expect(first["profile"] as? String == "sooda" && first["request_id"] as? String == "first-call")
            let duration = try #require(first["duration_ms"] as? Double)
            #expect(duration > 0 && duration < 60_000)
            // A slower call has a line of its own kind.
            if duration < 1000 { #expect(first["message"] as? String == "call" && first["level"] as? String == "info") }
            let second = lines[1]
            #expect(second["method"] as? String == "POST" && second["route"] as? String == "/v1/echo")
            #expect(second["status"] as? Int == 400 && second["code"] as? String == "E11" && second["user"] == nil)
            #expect(lines[2]["route"] as? String == "none" && lines[2]["code"] as? String == "E97")
            let failed = lines[3]
            #expect(failed["message"] as? String == "call failed" && failed["level"] as? String == "error")
            #expect(failed["status"] as? Int == 500 && failed["method"] as? String == "GET")
            #expect(failed["duration_ms"] is Double && failed["cause"] is String)
        }
    }

    @Test("With log_sample 0 only failed and slow calls are logged")
    func noSample() async throws {
        try await run(["log_sample": "0"]) { sample, file in
            let headers = [("SesacKey", "native")]
            _ = try await sample.call("GET", "/v1/context", headers)
            _ = try await sample.call("GET", "/v1/nothing", headers)
            #expect(try await sample.call("GET", "/v1/fails", headers).status == 500)
            #expect(try await sample.call("GET", "/v1/slow", headers).status == 200)
            // On a machine that stands still, other calls may be slow as well.
            let lines = try await file.lines().filter {
                $0["route"] != nil && ($0["message"] as? String != "slow call" || $0["route"] as? String == "/v1/slow")
            }
            #expect(lines.map { $0["message"] as? String } == ["call failed", "slow call"])
            #expect(try #require(lines.last?["duration_ms"] as? Double) >= 1000)
        }
    }

    @Test("With log_sample 0.5 about half of the calls are logged, the same ones in every service")
    func halfSample() async throws {
        var logged: [[String]] = []
        // Slow calls are logged in any case.
        var slow: Set<String> = []
        for _ in 1...2 {
            try await run(["log_sample": "0.5"]) { sample, file in
                for number in 100..<300 {
                    let headers = [("SesacKey", "native"), ("X-Request-Id", "request-\(number)")]
                    _ = try await sample.call("GET", "/v1/context", headers)
                }
                let lines = try await file.lines().filter { $0["route"] != nil }
                logged.append(lines.compactMap { $0["request_id"] as? String })
                slow.formUnion(
                    lines.filter { $0["message"] as? String == "slow call" }.compactMap { $0["request_id"] as? String })
            }
        }
        let sampled = logged.map { ids in ids.filter { !slow.contains($0) } }
        #expect((60...140).contains(sampled[0].count), "\(sampled[0].count)")
        #expect(sampled[0] == sampled[1])
    }

    @Test("D3: no word of a user is logged at any level, not even after a failure")
    func discreet() async throws {
        try await run(level: .debug) { sample, file in
            let token = sample.token(user: 5)
            let headers = [("SesacKey", "sooda"), ("Authorization", token)]
            let reply = try await sample.call("GET", "/v1/labels/\(Planted.name)", headers)
            #expect(reply.errorCode == "E99")
            _ = try await sample.call("GET", "/v1/things/\(Planted.name)?email=\(Planted.email)", headers)
            _ = try await sample.call("GET", "/v1/\(Planted.name)", headers)
            let gathering = [("SesacKey", "gathering"), ("User-Agent", Planted.name)]
            _ = try await sample.call("POST", "/v1/echo", gathering, body: #"{"text":"\#(Planted.text)"}"#)
            _ = try await sample.call("POST", "/v1/echo", gathering, body: #"{"text":["\#(Planted.text)"]}"#)
            _ = try await sample.call("GET", "/v1/things/7", [("SesacKey", "sooda"), ("Authorization", token + "x")])
            _ = try await sample.call("GET", "/v1/things/7", [("SesacKey", Planted.name)])
            let text = try await file.text()
            #expect(text.contains("23505") && text.contains("label_pkey") && text.contains("/v1/labels/{name}"))
            #expect(!text.contains("planted"))
            for part in token.split(separator: ".").dropFirst() { #expect(!text.contains(part)) }
        }
    }

    @Test("A service that starts before auth-service logs no warning and no error")
    func startBeforeAuth() async throws {
        let file = LogFile()
        let service = try await ServiceUnderTest(
            "sample", [], ["auth_url": "http://127.0.0.1:\(FreePort.pick())"], log: file.log(.debug)
        ) { builder in builder.publicRoutes { $0.open(.get, "/v1/context") { call in call.done() } } }
        try await eventually("a fetch of keys in vain") {
            try await file.lines().contains { $0["work"] as? String == "keys" }
        }
        let lines = try await file.lines()
        #expect(lines.filter { ["warning", "error"].contains($0["level"] as? String) }.isEmpty, "\(lines)")
        await service.stop()
    }

    @Test("A clean start logs its version, and no warning or error")
    func cleanStart() async throws {
        try await run(level: .debug) { sample, file in
            let inside = sample.service.running.internalAddress.port
            #expect(try await HTTPCall.get(port: inside, "/readyz").status == 200)
            let version = try await HTTPCall.get(port: inside, "/version").json["version"]?.string
            let lines = try await file.lines()
            #expect(lines.filter { ["warning", "error"].contains($0["level"] as? String) }.isEmpty, "\(lines)")
            let started = lines.filter { $0["message"] as? String == "started" }
            #expect(started.count == 1 && started.first?["version"] as? String == version)
        }
    }
}

extension LogFile {
    /// The lines written so far.
    fileprivate func lines() async throws -> [[String: Any]] {
        try await text().split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }
}
