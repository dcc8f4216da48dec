import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Changes of passwords and addresses")
struct CredentialTests {
    private static let next = "Haetnim-77!"

    private func put(
        _ fixture: AuthFixture, _ path: String, _ user: AuthFixture.TestUser, _ json: String
    ) async throws -> HTTPCall.Reply {
        try await fixture.service.call("PUT", "/v1/users/me/\(path)", token: user.access, json: json)
    }

    private func passwords(_ old: String, _ new: String) -> String {
        #"{"password":"\#(old)","newPassword":"\#(new)"}"#
    }

    @Test("A7: a new password ends the other sessions and notifies the owner; a wrong old one changes nothing")
    func password() async throws {
        try await AuthFixture.run { fixture async throws in
            let (other, user) = (try await fixture.join(), try await fixture.logIn())
            let wrong = try await put(fixture, "password", user, passwords("Wrong-word-1", Self.next))
            #expect(wrong.errorCode == "E03")
            #expect(try await fixture.me(other.access).status == 200)
            let changed = try await put(fixture, "password", user, passwords(AuthFixture.password, Self.next))
            #expect(changed.status == 200)
            #expect(try await fixture.me(other.access).errorCode == "E05")
            #expect(try await fixture.me(user.access).status == 200)
            #expect(try await fixture.logInReply().errorCode == "E03")
            #expect(try await fixture.logInReply(password: Self.next).status == 200)
            _ = try await fixture.mail(to: "a@b.kr", about: "비밀번호를 바꾸었습니다")
        }
    }

    @Test("A common password is refused, however it is decorated")
    func common() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            for password in ["P@ssw0rd!", "Qwerty123!", "Welcome1!", "abcABC123!", "Tkfkdgo12!"] {
                let reply = try await put(fixture, "password", user, passwords(AuthFixture.password, password))
                #expect(reply.errorCode == "E11", "\(password)")
            }
            // Shipped apps have their own rule, which knows no list.
            let shipped = try await fixture.service.call(
                "POST", "/v1/users/join", key: "collatalk",
                json: #"{"email":"b@b.kr","password":"P@ssw0rd!","nickname":"n"}"#)
            #expect(shipped.status == 200)
        }
    }

    @Test("Guesses of the old password are delayed as logins are")
    func guesses() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            var answers: [String] = []
            // The wait grows with each failure, so that a machine that stands still is refused in the end as well.
            repeat {
                answers.append(
                    try await put(fixture, "password", user, passwords("Wrong-word-1", Self.next)).errorCode)
            } while answers.last == "E03" && answers.count < 12
            #expect(answers.first == "E03" && answers.last == "E98")
        }
    }

    @Test("A new address needs the password and the code that was sent there; both addresses get a mail")
    func address() async throws {
        try await AuthFixture.run { fixture async throws in
            let (other, user) = (try await fixture.join(), try await fixture.logIn())
            _ = try await fixture.service.call(
                "POST", "/v1/users/email/verification", token: user.access, json: #"{"email":"New@b.kr"}"#)
            let code = try await fixture.code(to: "New@b.kr", about: "변경")
            func change(_ password: String, _ email: String, _ code: String) async throws -> HTTPCall.Reply {
                try await put(
                    fixture, "email", user, #"{"password":"\#(password)","email":"\#(email)","code":"\#(code)"}"#)
            }
            #expect(try await change("Wrong-word-1", "New@b.kr", code).errorCode == "E03")
            #expect(try await change(AuthFixture.password, "x@b.kr", code).errorCode == "E11")
            let changed = try await change(AuthFixture.password, "new@B.kr", code)
            #expect(try changed.json["email"]?.string == "new@B.kr")
            #expect(try await fixture.me(other.access).errorCode == "E05")
            #expect(try await fixture.me(user.access).json["email"]?.string == "new@B.kr")
            #expect(try await fixture.logInReply("a@b.kr").errorCode == "E03")
            #expect(try await fixture.logInReply("new@b.kr").status == 200)
            for address in ["a@b.kr", "new@B.kr"] {
                let mail = try await fixture.mail(to: address, about: "이메일을 바꾸었습니다")
                #expect(mail.text.contains("new@B.kr"))
            }
        }
    }

    @Test("An address that another account has taken meanwhile is E12")
    func taken() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            _ = try await fixture.service.call(
                "POST", "/v1/users/email/verification", token: user.access, json: #"{"email":"new@b.kr"}"#)
            let code = try await fixture.code(to: "new@b.kr")
            _ = try await fixture.join("new@b.kr")
            let reply = try await put(
                fixture, "email", user, #"{"password":"\#(AuthFixture.password)","email":"new@b.kr","code":"\#(code)"}"#
            )
            #expect(reply.errorCode == "E12")
            #expect(try await fixture.me(user.access).json["email"]?.string == "a@b.kr")
        }
    }

    @Test("Of two accounts that change to one address at once, one gets it and the other E12")
    func takenAtOnce() async throws {
        try await AuthFixture.run(["database_connections": "6"]) { fixture async throws in
            var changes: [(user: AuthFixture.TestUser, code: String)] = []
            for email in ["a@b.kr", "c@b.kr"] {
                let user = try await fixture.join(email)
                _ = try await fixture.service.call(
                    "POST", "/v1/users/email/verification", token: user.access, json: #"{"email":"new@b.kr"}"#)
                let number = changes.count + 1
                try await eventually("code \(number)") {
                    fixture.providers.mail.sent.filter { $0.recipients == ["new@b.kr"] }.count == number
                }
                changes.append((user, try await fixture.code(to: "new@b.kr")))
            }
            // Both calls have looked for the address before one of them sets it.
            let answers = try await fixture.service.database.holding(
                "select from auth.account for update", untilWaiting: 2
            ) { [changes] in
                try await withThrowingTaskGroup(of: String.self) { group in
                    for (user, code) in changes {
                        group.addTask {
                            try await put(
                                fixture, "email", user,
                                #"{"password":"\#(AuthFixture.password)","email":"new@b.kr","code":"\#(code)"}"#
                            ).errorCode
                        }
                    }
                    return try await group.reduce(into: [String]()) { $0.append($1) }
                }
            }
            #expect(answers.sorted() == ["", "E12"])
        }
    }

    @Test("A7: no concurrent login with the old password outlives a change of the password")
    func concurrentLogins() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            _ = try await fixture.logIn()
            try await withThrowingTaskGroup(of: AuthFixture.TestUser?.self) { group in
                // More at a time would be delayed as guesses are.
                for _ in 1...3 {
                    group.addTask {
                        let reply = try await fixture.logInReply()
                        return reply.status == 200 ? try fixture.user(reply) : nil
                    }
                }
                let json = passwords(AuthFixture.password, Self.next)
                #expect(try await put(fixture, "password", user, json).status == 200)
                for try await late in group {
                    guard let late else { continue }
                    #expect(try await fixture.me(late.access).errorCode == "E05")
                }
            }
        }
    }
}
