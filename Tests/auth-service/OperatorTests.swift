import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("Accounts and operators")
struct OperatorTests {
    @Test("An operator finds accounts by id, address and nickname, and sees their state")
    func finding() async throws {
        try await AuthFixture.run { fixture async throws in
            let (anna, ben) = (try await fixture.join("anna@b.kr"), try await fixture.join("ben@b.kr"))
            func found(_ text: String) async throws -> [String] {
                let reply = try await fixture.service.operatorCall("GET", "/operator/users?text=\(text)")
                return try reply.json["users"]?.elements?.compactMap { $0.string("user_id") } ?? []
            }
            #expect(try await found(anna.id).first == anna.id)
            #expect(try await found("BEN@b.kr") == [ben.id])
            #expect(try await found("ben@") == [ben.id])
            #expect(Set(try await found("%EC%83%88%EC%8B%B9")) == [anna.id, ben.id])
            #expect(try await found("nobody@b.kr") == [])
            #expect(try await fixture.service.operatorCall("GET", "/operator/users").status == 422)
            let shown = try await fixture.service.operatorCall("GET", "/operator/users/\(anna.id)").json
            #expect(shown.string("state") == "active" && shown.string("email") == "anna@b.kr")
            #expect(shown.int("sessions") == 1 && shown.bool("secondFactor") == false)
            #expect(!String(decoding: shown.text, as: UTF8.self).contains("argon2"))
            #expect(try await fixture.service.operatorCall("GET", "/operator/users/999").status == 404)
            #expect(fixture.peers.operatorActs.contains("users.show users/\(anna.id) begun"))
        }
    }

    @Test("An operator signs a user out everywhere, or ends one session")
    func sessions() async throws {
        try await AuthFixture.run { fixture async throws in
            let (first, second, other) = (
                try await fixture.join(), try await fixture.logIn(), try await fixture.join("b@b.kr")
            )
            let list = try await fixture.service.operatorCall("GET", "/operator/users/\(first.id)/sessions").json
            let ids = list["sessions"]?.elements?.compactMap { $0.string("session_id") } ?? []
            #expect(ids.count == 2)
            // The newest comes first.
            let ended = try await fixture.service.operatorCall("DELETE", "/operator/sessions/\(ids[0])")
            #expect(try ended.json.int("sessionsEnded") == 1)
            #expect(try await fixture.me(second.access).errorCode == "E05")
            #expect(try await fixture.me(first.access).status == 200)
            #expect(try await fixture.service.operatorCall("DELETE", "/operator/sessions/\(ids[0])").status == 404)
            let reply = try await fixture.service.operatorCall("DELETE", "/operator/users/\(first.id)/sessions")
            #expect(try reply.json.int("sessionsEnded") == 1)
            #expect(try await fixture.me(first.access).errorCode == "E05")
            #expect(try await fixture.refresh(first.refresh).errorCode == "E06")
            #expect(try await fixture.me(other.access).status == 200)
            #expect(
                fixture.peers.operatorActs.suffix(2) == [
                    "users.sign-out users/\(first.id) begun", "users.sign-out users/\(first.id) done",
                ])
        }
    }

    @Test("A disabled user is out at once and cannot sign in again, until enabled")
    func disabling() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join(device: "device-1")
            let path = "/operator/users/\(user.id)/disabled"
            let reply = try await fixture.service.operatorCall("PUT", path)
            #expect(try reply.json.int("sessionsEnded") == 1)
            #expect(try await fixture.me(user.access).errorCode == "E05")
            #expect(try await fixture.refresh(user.refresh).errorCode == "E06")
            let refused = try await fixture.logInReply()
            #expect(refused.errorCode == "E03" && refused.text.contains("disabled"))
            // The sign-in does not bring the user back into the workspaces of an app.
            fixture.peers.whileJoining { throw NeverHappened(description: "a join") }
            let elsewhere = try await fixture.logInReply(key: "gathering")
            #expect(elsewhere.errorCode == "E03" && elsewhere.text.contains("disabled"), "\(elsewhere.text)")
            // A wrong password is told nothing of it.
            let wrong = try await fixture.logInReply(password: "Wrong-word-1")
            #expect(wrong.errorCode == "E03" && !wrong.text.contains("disabled"))
            let devices = try await fixture.service.internalCall(
                "POST", "/internal/devices", json: #"{"ids":["\#(user.id)"]}"#)
            #expect(!devices.text.contains("device-1"))
            let shown = try await fixture.service.operatorCall("GET", "/operator/users/\(user.id)").json
            #expect(shown.string("state") == "disabled" && shown.string("disabledAt") != nil)
            let other = try await fixture.join("b@b.kr")
            func disabled() async throws -> [String] {
                let ids = #"{"ids":["\#(user.id)","\#(other.id)"]}"#
                let reply = try await fixture.service.internalCall("POST", "/internal/disabled", json: ids)
                return try reply.json["ids"]?.elements?.compactMap(\.string) ?? []
            }
            #expect(try await disabled() == [user.id])
            #expect(try await fixture.service.operatorCall("DELETE", path).status == 200)
            #expect(try await disabled() == [])
            #expect(try await fixture.logIn().id == user.id)
            #expect(try await fixture.service.operatorCall("PUT", "/operator/users/999/disabled").status == 404)
        }
    }

    @Test("A disabled user cannot sign in with a provider either")
    func disablingSocial() async throws {
        try await AuthFixture.run { fixture async throws in
            let claims = "sub=7&email=a@b.kr&email_verified=true"
            let user = try fixture.user(try await fixture.apple(claims))
            #expect(try await fixture.service.operatorCall("PUT", "/operator/users/\(user.id)/disabled").status == 200)
            #expect(try await fixture.apple(claims).errorCode == "E03")
        }
    }

    @Test("An operator deletes an account, unless it owns workspaces that others are in")
    func deleting() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            fixture.peers.setSharedWorkspaces(["3", "4"])
            let refused = try await fixture.service.operatorCall("DELETE", "/operator/users/\(user.id)")
            #expect(refused.errorCode == "E15" && refused.text.contains("3, 4"))
            #expect(try await fixture.me(user.access).status == 200)
            fixture.peers.setSharedWorkspaces([])
            let path = "/operator/users/\(user.id)?messages="
            #expect(try await fixture.service.operatorCall("DELETE", path + "some").status == 422)
            #expect(try await fixture.service.operatorCall("DELETE", path + "delete").status == 200)
            #expect(try await fixture.me(user.access).errorCode == "E05")
            let stored = try await fixture.service.database.run(
                sql: "select deletes_messages from auth.erasure where account = \(user.id)")
            #expect(stored == "t\n")
            let shown = try await fixture.service.operatorCall("GET", "/operator/users/\(user.id)").json
            #expect(shown.string("state") == "deleted" && shown.string("email") != "a@b.kr")
            #expect(fixture.peers.operatorActs.contains("users.delete users/\(user.id) E15"))
        }
    }

    @Test("An operator resets the lost second factor of an owner; the owner gets a mail and signs in anew")
    func secondFactor() async throws {
        let factor = SecondFactorFixture()
        try await AuthFixture.run { fixture async throws in
            let account = try await factor.protect(fixture)
            let path = "/operator/users/\(account.user.id)/second-factor"
            #expect(try await fixture.service.operatorCall("DELETE", path).status == 200)
            #expect(try await fixture.me(account.user.access).errorCode == "E05")
            #expect(try await fixture.logIn().id == account.user.id)
            _ = try await fixture.mail(to: "a@b.kr", about: "2단계 로그인을 껐습니다")
            #expect(try await fixture.service.operatorCall("DELETE", path).errorCode == "E15")
        }
    }

    @Test("An operator orders an export and gets the link for the owner")
    func export() async throws {
        try await AuthFixture.run { fixture async throws in
            let user = try await fixture.join()
            let path = "/operator/users/\(user.id)/export"
            #expect(try await fixture.service.operatorCall("POST", path).json.string("state") == "pending")
            try await eventually("the export") {
                try await fixture.service.operatorCall("GET", path).json.string("state") == "ready"
            }
            let ready = try await fixture.service.operatorCall("GET", path).json
            let file = try await fixture.service.call("GET", try #require(ready.string("url")), key: nil)
            #expect(file.status == 200)
            #expect(try await fixture.service.operatorCall("POST", "/operator/users/999/export").status == 404)
        }
    }
}
