import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service

@Suite("The life of an account")
struct AccountJourneyTests {
    private func service() async throws -> ServiceUnderTest {
        try await ServiceUnderTest("auth-service", AuthSettings.entries, assemble: App.assemble)
    }

    private func join(_ service: ServiceUnderTest, _ email: String, key: String) async throws -> HTTPCall.Reply {
        try await service.call(
            "POST", "/v1/users/join", key: key,
            json: #"{"email":"\#(email)","password":"Saessak-2024!","nickname":"새싹","phone":null,"deviceToken":"d1"}"#)
    }

    @Test("From join through refresh to logout, in each generation", arguments: ["sooda", "collatalk", "native"])
    func journey(key: String) async throws {
        let service = try await service()
        let joined = try await join(service, "a@b.kr", key: key)
        #expect(joined.status == (key == "native" ? 201 : 200))
        #expect(joined.headers["set-cookie"]?.contains("HttpOnly") == true)
        let refresh = try #require(try joined.json["token"]?["refreshToken"]?.string)
        let again = try await join(service, "A@B.KR", key: key)
        #expect(again.errorCode == "E12")

        let login = try await service.call(
            "POST", "/v1/users/login", key: key,
            json: #"{"email":"A@b.kr","password":"Saessak-2024!","deviceToken":""}"#)
        let tokens = try key == "sooda" ? login.json : #require(try login.json["token"])
        let access = try #require(tokens["accessToken"]?.string)
        let me = key == "sooda" ? "/v1/users/my?" : "/v1/users/me"
        #expect(try await service.call("GET", me, key: key, token: access).json["nickname"]?.string == "새싹")

        let renewed = try await service.call("GET", "/v1/auth/refresh", key: key, headers: [("RefreshToken", refresh)])
        #expect(renewed.status == 200)
        let renewedAccess = try #require(try renewed.json["accessToken"]?.string)
        #expect(try await service.call("GET", me, key: key, token: renewedAccess).status == 200)

        #expect(try await service.call("GET", "/v1/users/logout", key: key, token: access).status == 200)
        #expect(try await service.call("GET", me, key: key, token: access).errorCode == "E05")
        await service.stop()
    }
}
