import Contract
import Crypto
import EventLoop
import Foundation
import HTTP
import Redis
import ServiceKit
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@Suite("A service")
struct ServiceTests {
    @Test("An unknown route is reported before a wrong key, and a wrong key before the token is checked")
    func order() async throws {
        let sample = try await SampleService()
        func code(_ target: String, _ headers: [(String, String)]) async throws -> String {
            let reply = try await sample.call("GET", target, headers)
            #expect(reply.status == 400)
            return reply.text
        }
        #expect(try await code("/v1/nothing", []).contains("E97"))
        #expect(try await code("/v1/things/5", []).contains("E01"))
        #expect(try await code("/v1/things/5", [("SesacKey", "wrong"), ("Authorization", "x")]).contains("E01"))
        #expect(try await code("/v1/things/5", [("SesacKey", "sooda")]).contains("E02"))
        #expect(try await code("/v1/things/5", [("SesacKey", "sooda"), ("Authorization", "x.y.z")]).contains("E02"))
        await sample.stop()
    }

    @Test("A valid token is accepted with or without Bearer; an expired one gives E05, one for sockets E02")
    func tokens() async throws {
        let sample = try await SampleService()
        for header in [sample.token(), "Bearer " + sample.token(), "bearer " + sample.token()] {
            let reply = try await sample.call(
                "GET", "/v1/things/7?", [("SesacKey", "sooda"), ("Authorization", header)])
            #expect(reply.status == 200)
            #expect(reply.text == #"["7","5"]"#)
        }
        let expired = [("SesacKey", "sooda"), ("Authorization", sample.token(lives: .seconds(-5)))]
        #expect(try await sample.call("GET", "/v1/things/7", expired).text.contains("E05"))
        let socket = [("SesacKey", "sooda"), ("Authorization", sample.token(for: .socket))]
        #expect(try await sample.call("GET", "/v1/things/7", socket).text.contains("E02"))
        await sample.stop()
    }

    @Test("An expired token gives E05 even if its key is retired; any other token with an unknown key gives E02")
    func forgottenKey() async throws {
        let sample = try await SampleService()
        let (key, past) = (SigningKey.generate(), Duration.seconds(-5))
        func code(_ token: String) async throws -> String {
            try await sample.call("GET", "/v1/things/7", [("SesacKey", "sooda"), ("Authorization", token)]).errorCode
        }
        let expired = sample.token(lives: past, by: key)
        #expect(try await code(expired) == "E05")
        let parts = expired.split(separator: ".")
        let garbage = [
            sample.token(by: key), sample.token(lives: past, by: key, issuer: "https://other.example"),
            sample.token(for: .socket, lives: past, by: key), "\(parts[0]).AAAA.\(parts[2])",
            "AAAA.\(parts[1]).\(parts[2])", "\(parts[0])..", "..", "x", String(repeating: "x.", count: 5000),
        ]
        for token in garbage { #expect(try await code(token) == "E02", "\(token.prefix(60))") }
        // The name of a known key does not make an invalid signature valid.
        let named = try SigningKey(pem: key.pem, id: sample.keyID)
        #expect(try await code(sample.token(lives: past, by: named)) == "E02")
        await sample.stop()
    }

    @Test("A token is valid only with an API key of the profile in which its session was opened, else E02")
    func otherProfile() async throws {
        let sample = try await SampleService()
        func reply(_ key: String, _ token: String) async throws -> HTTPCall.Reply {
            try await sample.call("GET", "/v1/things/7", [("SesacKey", key), ("Authorization", token)])
        }
        let token = sample.token(profile: "sooda")
        // Before and after the token is cached as verified.
        #expect(try await reply("collabee", token).errorCode == "E02")
        for _ in 1...2 {
            #expect(try await reply("sooda", token).status == 200)
            #expect(try await reply("collabee", token).errorCode == "E02")
            #expect(try await reply("gen-2024-01", token).errorCode == "E02")
        }
        #expect(try await reply("native", token).status == 401)
        #expect(try await reply("native", sample.token(profile: "native")).status == 200)
        await sample.stop()
    }

    @Test("Several API keys with one profile accept each other's tokens")
    func sharedProfile() async throws {
        let folder = TemporaryFolder("maru-clients")
        let path = folder.path + "/clients.json"
        let text = try Data(contentsOf: URL(fileURLWithPath: ServiceUnderTest.clients))
        var clients = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        clients["sooda-2"] = clients["sooda"]
        try JSONSerialization.data(withJSONObject: clients).write(to: URL(fileURLWithPath: path))
        let sample = try await SampleService(["clients_file": path])
        for key in ["sooda", "sooda-2", "sooda"] {
            let headers = [("SesacKey", key), ("Authorization", sample.token(profile: "sooda"))]
            #expect(try await sample.call("GET", "/v1/things/7", headers).status == 200)
        }
        await sample.stop()
    }

    @Test("The other valid form of a token's signature is refused")
    func malleability() async throws {
        let sample = try await SampleService()
        let token = sample.token()
        let parts = token.split(separator: ".")
        let other = try #require(P256Order.other(String(parts[2])))
        func code(_ token: String) async throws -> String {
            try await sample.call("GET", "/v1/things/7", [("SesacKey", "sooda"), ("Authorization", token)]).errorCode
        }
        #expect(try await code(token) == "")
        #expect(try await code("\(parts[0]).\(parts[1]).\(other)") == "E05")
        await sample.stop()
    }

    @Test("A route of the other generation is unknown, and a webhook needs no key")
    func generations() async throws {
        let sample = try await SampleService()
        let body = #"{"text":"안녕"}"#
        #expect(try await sample.call("POST", "/v1/echo", [("SesacKey", "sooda")], body: body).text.contains("E97"))
        #expect(try await sample.call("POST", "/v1/echo", [("SesacKey", "gathering")], body: body).text == #""안녕""#)
        #expect(try await sample.call("POST", "/v1/webhooks/hint").status == 200)
        await sample.stop()
    }

    @Test("Failures are problem documents with HTTP statuses for profiles that accept them")
    func statuses() async throws {
        let sample = try await SampleService()
        let reply = try await sample.call("POST", "/v1/echo", [("SesacKey", "native")], body: "{}")
        #expect(reply.status == 422)
        #expect(reply.headers["content-type"] == "application/problem+json")
        #expect(reply.text.contains(#""errorCode":"E11""#))
        let legacy = try await sample.call("POST", "/v1/echo", [("SesacKey", "collabee")], body: #"{"text":7}"#)
        #expect(legacy.status == 400)
        #expect(legacy.text.contains(#""errorCode":"E11""#))
        await sample.stop()
    }

    @Test("Internal routes require the credential and are not on the public port")
    func internalPort() async throws {
        let sample = try await SampleService()
        #expect(try await sample.call("GET", "/internal/ping", [("SesacKey", "sooda")]).text.contains("E97"))
        func status(_ headers: [(String, String)], _ target: String = "/internal/ping") async throws -> Int {
            try await HTTPCall("GET", port: sample.service.running.internalAddress.port, target, headers: headers)
                .reply()
                .status
        }
        #expect(try await status([]) == 401)
        #expect(try await status([("Authorization", "Bearer 0123456789abcdef0123456789abcdee")]) == 401)
        for other in ["", "0", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef0"] {
            #expect(try await status([("Authorization", "Bearer " + other)]) == 401, "\(other)")
        }
        #expect(try await status([("Authorization", "Bearer 0123456789abcdef0123456789abcdef")]) == 200)
        #expect(try await status([], "/readyz") == 200)
        #expect(try await status([], "/healthz") == 200)
        await sample.stop()
    }

    @Test("A refused internal call says when to repeat it, and a failed one does not: it is repeated at once")
    func internalRetries() async throws {
        let sample = try await SampleService { builder in
            builder.internalRoutes { routes in
                routes.add(.get, "/internal/refused") { _ in throw Failure.overloaded }
                routes.add(.get, "/internal/failed") { _ in throw Failure.unavailable }
            }
        }
        let refused = try await sample.service.internalCall("GET", "/internal/refused")
        #expect(refused.status == 503 && refused.headers["retry-after"] == "1", "\(refused.text)")
        let failed = try await sample.service.internalCall("GET", "/internal/failed")
        #expect(failed.status == 503 && failed.headers["retry-after"] == nil, "\(failed.text)")
        await sample.stop()
    }

    @Test("A failed start leaves nothing behind: its connections are closed and its ports are free")
    func failedStart() async throws {
        let redis = try await RedisServer.start()
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        let taken = try await SampleService()
        let port = taken.service.running.publicAddress.port
        let inside = FreePort.pick()
        let settings = ["public_address": "127.0.0.1:\(port)", "internal_address": "127.0.0.1:\(inside)"]
        await #expect(throws: SocketError.self) {
            _ = try await ServiceUnderTest("sample", [], settings, database: database, redis: redis) { builder in
                _ = try await builder.database("sample", migrations: Outbox.migrations)
                try await builder.redis().connected(within: .seconds(20))
            }
        }
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            _ = try await ServiceUnderTest("sample", [], database: database, redis: redis) { builder in
                _ = try await builder.database("sample", migrations: Outbox.migrations)
                throw Refused()
            }
        }
        #expect(throws: (any Error).self) { try RawConnection(port: inside) }
        try await eventually("an end of all connections to Redis") {
            let asker = try RawConnection(port: redis.port)
            try asker.send("INFO clients\r\n")
            return try asker.receive(until: "blocked_clients").contains("connected_clients:1\r\n")
        }
        try await eventually("an end of all connections to Postgres") {
            try await database.run(
                sql:
                    "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
            ) == "0\n"
        }
        await taken.stop()
    }

    @Test("A service reports its version")
    func version() async throws {
        let sample = try await SampleService()
        let reply = try await HTTPCall.get(port: sample.service.running.internalAddress.port, "/version")
        #expect(try reply.json["service"]?.string == "sample")
        #expect(try #require(reply.json["version"]?.string).split(separator: ".").count == 3)
        #expect(try reply.json["swift"]?.string?.hasPrefix("6.") == true)
        let version = try #require(reply.json["version"]?.string)
        let metrics = try await HTTPCall.get(port: sample.service.running.internalAddress.port, "/metrics").text
        #expect(metrics.contains("\nmaru_build_info{version=\"\(version)\",service=\"sample\"} 1"))
        await sample.stop()
    }

    @Test("Calls to other services carry the request id of the call that caused them")
    func context() async throws {
        let sample = try await SampleService()
        let headers = [
            ("SesacKey", "sooda"), ("X-Request-Id", "gateway-12345"),
            ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        ]
        let reply = try await sample.call("GET", "/v1/context", headers)
        #expect(reply.headers["x-request-id"] == "gateway-12345")
        let parts = try #require(reply.json[0]?.string).split(separator: " ")
        #expect(parts.first == "gateway-12345")
        let trace = try #require(parts.last).split(separator: "-")
        #expect(trace[1] == "0af7651916cd43dd8448eb211c80319c" && trace[2] != "b7ad6b7169203331")
        await sample.stop()
    }
}
