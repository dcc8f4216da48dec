import Crypto
import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Limits")
struct LimitTests {
    /// The value of one of the service's counters.
    private func counter(_ name: String, _ fixture: AuthFixture) async throws -> Int {
        let page = try await HTTPCall.get(port: fixture.service.running.internalAddress.port, "/metrics").text
        let line = page.split(separator: "\n").first { $0.hasPrefix(name) && !$0.hasPrefix("#") }
        return line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) } ?? 0
    }

    private func logIn(
        _ fixture: AuthFixture, _ email: String, _ password: String = "Wr0ng-one", from address: String
    ) async throws -> HTTPCall.Reply {
        try await fixture.service.call(
            "POST", "/v1/users/login",
            headers: [("Content-Type", "application/json"), ("X-Forwarded-For", address)],
            body: Array(#"{"email":"\#(email)","password":"\#(password)"}"#.utf8))
    }

    @Test("Known emails, unknown emails and accounts without a password cost one hash each and get the same reply")
    func sameWork() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            #expect(try await fixture.kakao("kakao-7-k@b.kr").status == 200)
            var replies: [String] = []
            for (number, email) in ["a@b.kr", "nobody@b.kr", "k@b.kr", "no email", ""].enumerated() {
                let before = try await counter("maru_password_hashes_total", fixture)
                let reply = try await logIn(fixture, email, from: "192.0.2.\(number)")
                #expect(reply.status == 401)
                #expect(try await counter("maru_password_hashes_total", fixture) == before + 1, "\(email)")
                replies.append(reply.textForAll)
            }
            #expect(Set(replies).count == 1)
        }
    }

    @Test("A flood of logins is refused with E98 and Retry-After, and other calls are still served")
    func flood() async throws {
        try await AuthFixture.run(["hash_threads": "1", "hash_queue": "2"]) { fixture async throws in
            let user = try await fixture.join()
            let replies = try await withThrowingTaskGroup(of: HTTPCall.Reply.self) { group in
                for number in 1...40 {
                    group.addTask { try await logIn(fixture, "\(number)@b.kr", from: "192.0.2.\(number)") }
                }
                for _ in 1...5 { #expect(try await fixture.me(user.access).status == 200) }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let shed = replies.filter { $0.errorCode == "E98" }
            #expect(Set(replies.map(\.errorCode)) == ["E03", "E98"])
            #expect(shed.allSatisfy { $0.status == 503 && $0.headers["retry-after"] == "1" })
            #expect(try await counter("maru_password_hashes_shed_total", fixture) == shed.count)
            #expect(try await logIn(fixture, "a@b.kr", AuthFixture.password, from: "198.51.100.1").status == 200)
        }
    }

    @Test("A flood of joins does not keep users from logging in")
    func joinFlood() async throws {
        let codes = try await codes { fixture, number in
            try await fixture.service.call(
                "POST", "/v1/users/join",
                headers: [("Content-Type", "application/json"), ("X-Forwarded-For", "192.0.2.\(number)")],
                body: Array(#"{"email":"\#(number)@b.kr","password":"Saessak-2024!","nickname":"n"}"#.utf8))
        }
        #expect(codes == ["", "E98"])
    }

    @Test("A flood of logins from unknown addresses does not keep users from logging in where they have before")
    func loginFlood() async throws {
        let codes = try await codes { fixture, number in
            try await logIn(fixture, "\(number)@b.kr", from: "192.0.2.\(number)")
        }
        #expect(codes == ["E03", "E98"])
    }

    /// Floods the queue of passwords while a user logs in from a known address, which must go on.
    private func codes(
        ofFlood call: @escaping @Sendable (AuthFixture, Int) async throws -> HTTPCall.Reply
    ) async throws -> Set<String> {
        var codes: Set<String> = []
        try await AuthFixture.run(["hash_threads": "1", "hash_queue": "8"]) { fixture async throws in
            _ = try await fixture.join()
            #expect(try await logIn(fixture, "a@b.kr", AuthFixture.password, from: "198.51.100.1").status == 200)
            codes = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 1...120 { group.addTask { try await call(fixture, number).errorCode } }
                for _ in 1...8 {
                    let reply = try await logIn(fixture, "a@b.kr", AuthFixture.password, from: "198.51.100.1")
                    #expect(reply.status == 200, "\(reply.text)")
                }
                return try await group.reduce(into: []) { $0.insert($1) }
            }
        }
        return codes
    }

    @Test("An address that joins too often gets E98 with Retry-After, in all apps, and other addresses may join")
    func joins() async throws {
        try await AuthFixture.run(["free_joins": "3"]) { fixture async throws in
            var number = 0
            func join(from address: String, key: String = "native") async throws -> HTTPCall.Reply {
                number += 1
                return try await fixture.service.call(
                    "POST", "/v1/users/join", key: key,
                    headers: [("Content-Type", "application/json"), ("X-Forwarded-For", address)],
                    body: Array(#"{"email":"\#(number)@b.kr","password":"Saessak-2024!","nickname":"n"}"#.utf8))
            }
            try await refused(fixture) { try await join(from: "192.0.2.1") }
            #expect(try await join(from: "192.0.2.2").status == 201)
            try await refused(fixture, key: "sooda") { try await join(from: "2001:db8::\(number)", key: "sooda") }
            #expect(try await join(from: "2001:db8:1::1", key: "sooda").status < 300)
        }
    }

    @Test("A hash with outdated parameters is replaced by the next successful login only")
    func rehash() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let parameters = Argon2Parameters(memory: 1024, iterations: 1, parallelism: 1)
            let hash = try await PasswordHasher(parameters: parameters, threads: 1).hash(AuthFixture.password)
            _ = try await fixture.service.database.run(sql: "update auth.account set password_hash = '\(hash)'")
            func stored() async throws -> String {
                try await fixture.service.database.run(sql: "select password_hash from auth.account")
            }
            #expect(try await logIn(fixture, "a@b.kr", from: "192.0.2.1").errorCode == "E03")
            #expect(try await stored().hasPrefix(hash))
            #expect(try await fixture.logIn().id == user.id)
            #expect(try await stored().hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
            #expect(try await fixture.logIn().id == user.id)
        }
    }

    @Test("A password is the same in every Unicode normal form")
    func normalForm() async throws {
        try await AuthFixture.run { fixture async throws in
            func body(_ password: String) -> String { #"{"email":"a@b.kr","password":"\#(password)","nickname":"n"}"# }
            let joined = try await fixture.service.call("POST", "/v1/users/join", json: body("Passw0rd-\u{E9}\u{AC00}"))
            #expect(joined.status == 201)
            let reply = try await fixture.service.call(
                "POST", "/v1/users/login", json: body("Passw0rd-e\u{301}\u{1100}\u{1161}"))
            #expect(reply.status == 200)
        }
    }

    /// Calls until E98 comes, and checks its status and Retry-After.
    private func refused(
        _ fixture: AuthFixture, key: String = "native", _ call: () async throws -> HTTPCall.Reply
    ) async throws {
        // Slower calls leave the rate more time, so more of them pass.
        for _ in 1...200 {
            let reply = try await call()
            guard reply.errorCode == "E98" else { continue }
            #expect(reply.status == (key == "native" ? 429 : 400))
            #expect((1...60).contains(reply.headers["retry-after"].flatMap { Int($0) } ?? 0))
            return
        }
        Issue.record("no call was refused")
    }

    @Test("A user, an address or a key that calls too often gets E98 with Retry-After, and others are still served")
    func rates() async throws {
        let settings = [
            "user_rate": "1", "user_burst": "5", "address_rate": "1", "address_burst": "5", "key_rate": "1",
            "key_burst": "30",
        ]
        try await AuthFixture.run(settings) { fixture async throws in
            let (user, other) = (try await fixture.join(), try await fixture.join("o@b.kr", key: "collatalk"))
            try await refused(fixture) { try await fixture.me(user.access) }
            #expect(try await fixture.me(other.access, key: "collatalk").status == 200)

            func validate(_ address: String) async throws -> HTTPCall.Reply {
                try await fixture.service.call(
                    "POST", "/v1/users/validation/email", key: "sooda",
                    headers: [("Content-Type", "application/json"), ("X-Forwarded-For", address)],
                    body: Array(#"{"email":"x@b.kr"}"#.utf8))
            }
            var host = 0
            try await refused(fixture, key: "sooda") {
                host += 1
                return try await validate("2001:db8::\(host)")
            }
            #expect(try await validate("2001:db8:1::1").status == 200)

            var network = 0
            try await refused(fixture, key: "sooda") {
                network += 1
                return try await validate("2001:db8:2:\(network)::1")
            }
            #expect(try await fixture.me(other.access, key: "collatalk").status == 200)
        }
    }

    @Test("A7: a login with the old password does not bring it back by replacing its outdated hash")
    func rehashMeanwhile() async throws {
        try await AuthFixture.run { fixture async throws in
            _ = try await fixture.join()
            let database = fixture.service.database
            let parameters = Argon2Parameters(memory: 1024, iterations: 1, parallelism: 1)
            let old = try await PasswordHasher(parameters: parameters, threads: 1).hash(AuthFixture.password)
            let new = try await PasswordHasher(threads: 1).hash("Haetnim-77!")
            try await database.run(sql: "update auth.account set password_hash = '\(old)'")
            // The password changes while the login waits for its row.
            let change = "update auth.account set password_hash = '\(new)', credentials = credentials + 1"
            let meanwhile = try await database.holding(change) { try await fixture.logInReply() }
            #expect(meanwhile.errorCode == "E03")
            #expect(try await fixture.logInReply().errorCode == "E03")
            #expect(try await fixture.logInReply(password: "Haetnim-77!").status == 200)
        }
    }
}
