import Contract
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import auth_service
@testable import standins

@Suite("Mails of invitations")
struct InvitationMailTests {
    private static func order(_ fixture: AuthFixture, entry: Int, invitation: Int) async throws {
        let body = #"{"workspace_id":"3","version":1,"invitation_id":"\#(invitation)"}"#
        try await fixture.service.redis.command(
            "XADD", "facts:workspace", "*", "id", "\(entry)", "type", "invitation.mailed", "body", body)
    }

    /// Waits until all orders have been handled.
    private static func handled(_ fixture: AuthFixture) async throws {
        try await eventually("handled orders") {
            let group = try await fixture.service.redis.command("XINFO", "GROUPS", "facts:workspace")
            func value(_ name: String) -> String? { group.firstIndex(of: name).map { group[$0 + 1] } }
            return value("pending") == "0" && value("lag") == "0"
        }
    }

    @Test("A person without an account is mailed the link of the invitation, in its language, and once")
    func sent() async throws {
        try await AuthFixture.run { fixture async throws in
            let seed: [UInt8] = Array(1...32)
            fixture.peers.setInvitation(
                InvitationMail(
                    recipient: "new@example.com", language: "en", seed: seed, workspace: "새싹", inviter: "민지",
                    link: "https://chat.example.com/#invitation=", expiresAt: .now + .seconds(3600)))
            // A server that is busy lets the second order meet the waiting mail of the first one.
            fixture.providers.mail.refuse(with: 451, times: 1)
            for entry in 1...2 { try await Self.order(fixture, entry: entry, invitation: 7) }
            try await Self.handled(fixture)
            try await eventually("the mail") {
                _ = try await fixture.service.database.run(sql: "update auth.mail set due_at = 0")
                return !fixture.providers.mail.sent.isEmpty
            }
            let mail = try await fixture.mail(to: "new@example.com", about: "You are invited")
            let token = InvitationTokens(credential: ServiceUnderTest.credential).token(of: seed)
            #expect(mail.text.contains("https://chat.example.com/#invitation=" + token))
            #expect(mail.text.contains("새싹") && mail.text.contains("민지"))
            try await eventually("an empty outbox") {
                try await Self.waiting(fixture) == "0\n"
            }
            #expect(fixture.providers.mail.sent.count == 1)
        }
    }

    private static func waiting(_ fixture: AuthFixture) async throws -> String {
        try await fixture.service.database.run(sql: "select count(*) from auth.mail where recipient <> ''")
    }

    @Test("R6: an order that comes again after its mail was sent sends no second one, and nothing keeps the address")
    func sentBefore() async throws {
        try await AuthFixture.run { fixture async throws in
            fixture.peers.setInvitation(
                InvitationMail(
                    recipient: "new@example.com", language: nil, seed: Array(1...32), workspace: "새싹", inviter: "민지",
                    link: "", expiresAt: .now + .seconds(3600)))
            try await Self.order(fixture, entry: 1, invitation: 7)
            _ = try await fixture.mail(to: "new@example.com", about: "초대")
            try await eventually("the end of the mail") { try await Self.waiting(fixture) == "0\n" }
            // Redis has lost its entries, and the relay of workspace-service publishes them again.
            try await Self.order(fixture, entry: 1, invitation: 7)
            try await Self.handled(fixture)
            #expect(try await Self.waiting(fixture) == "0\n")
            #expect(fixture.providers.mail.sent.count == 1)
            let kept = try await fixture.service.database.run(sql: "select key, recipient, detail from auth.mail")
            #expect(kept == "invitation-7||\n")
        }
    }

    @Test("The outbox of mails reveals no token, and an invitation that is not wanted any more is not mailed")
    func kept() async throws {
        try await AuthFixture.run { fixture async throws in
            fixture.peers.setInvitation(nil)
            try await Self.order(fixture, entry: 1, invitation: 8)
            try await Self.handled(fixture)
            let seed: [UInt8] = Array(1...32)
            let mail = InvitationMail(
                recipient: "other@example.com", language: nil, seed: seed, workspace: "새싹", inviter: "민지", link: "",
                expiresAt: .now + .seconds(3600))
            let invitation = try #require(MailInvitation(detail: MailInvitation(mail).detail))
            #expect(invitation == MailInvitation(mail))
            let token = InvitationTokens(credential: ServiceUnderTest.credential).token(of: seed)
            #expect(!MailInvitation(mail).detail.contains(token))
            fixture.peers.setInvitation(mail)
            try await Self.order(fixture, entry: 2, invitation: 9)
            _ = try await fixture.mail(to: "other@example.com", about: "초대")
            #expect(fixture.providers.mail.sent.count == 1)
        }
    }

    @Test("D1: An invitation that waits to be mailed goes with the account of its address")
    func deleted() async throws {
        try await AuthFixture.run { fixture async throws in
            #expect(try await Self.invitations(fixture, isVerified: true) == "C@B.kr\n")
        }
    }

    @Test("D1: The deletion of an account that has not verified its address leaves invitations to it alone")
    func deletedUnverified() async throws {
        try await AuthFixture.run { fixture async throws in
            #expect(try await Self.invitations(fixture, isVerified: false) == "A@B.kr,C@B.kr\n")
            let addresses = try await fixture.service.database.run(sql: "select addresses from auth.erasure")
            #expect(addresses == "{}\n")
        }
    }

    /// The recipients of the invitations that wait to be mailed after the account of a@b.kr was deleted.
    private static func invitations(_ fixture: AuthFixture, isVerified: Bool) async throws -> String {
        let user = try await fixture.join()
        let database = fixture.service.database
        _ = try await database.run(sql: "update auth.account set is_email_verified = \(isVerified)")
        _ = try await database.run(
            sql: """
                insert into auth.mail (recipient, template, created_at, due_at, expires_at)
                select recipient, 'invitation', 1, 9000000000000000, 9000000000000000
                from unnest(array['A@B.kr', 'C@B.kr']) as recipient
                """)
        let deletion = try await fixture.service.call(
            "DELETE", "/v1/users/me", token: user.access, json: #"{"password":"\#(AuthFixture.password)"}"#)
        #expect(deletion.status == 200)
        return try await database.run(
            sql: """
                select string_agg(recipient, ',' order by recipient) from auth.mail where template = 'invitation'
                """)
    }

    @Test("Other services learn whether the deployment sends mail")
    func status() async throws {
        try await AuthFixture.run { fixture async throws in
            let reply = try await fixture.service.internalCall("GET", "/internal/mail")
            #expect(reply.text == #"{"set_up":true}"#)
        }
        try await AuthFixture.run(["smtp_url": ""]) { fixture async throws in
            let reply = try await fixture.service.internalCall("GET", "/internal/mail")
            #expect(reply.text == #"{"set_up":false}"#)
        }
    }
}
