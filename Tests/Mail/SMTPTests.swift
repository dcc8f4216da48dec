import EventLoop
import TestSupport
import Testing
import Wire

@testable import Mail
@testable import standins

@Suite("Sending mails over SMTP")
struct SMTPTests {
    private static let address = SocketAddress(ip: "127.0.0.1", port: 0)!

    private func message(to recipient: String = "a@b.kr", text: String = "t") -> MailMessage {
        MailMessage(
            from: "Maru", "no-reply@maru.example", to: recipient, subject: "제목", text: text, id: "mail-7",
            date: .now)
    }

    private func withServer(
        _ body: (MailStandin, SMTPClient, EventLoop) async throws -> Void, requiresTLS: Bool = false
    ) async throws {
        let loops = EventLoopGroup(count: 1)
        let loop = loops.loops[0]
        let mails = MailStandin()
        let listener = try mails.listen(on: loop, at: Self.address)
        let client = SMTPClient(
            SMTPServer(url: "smtp://127.0.0.1:\(listener.address.port)", requiresTLS: requiresTLS))
        try await body(mails, client, loop)
        client.close()
        try await loop.run { listener.stop() }
        await onOwnThread { loops.stop() }
    }

    @Test("A mail arrives with its text unchanged, even with lines such as a single dot")
    func arrives() async throws {
        try await withServer { mails, client, loop in
            let text = "첫 줄\n.\n..\n" + String(repeating: "x", count: 5000)
            let message = message(text: text)
            try await loop.run { try await client.send(message) }
            let mail = try #require(mails.sent.first)
            #expect(mail.sender == "no-reply@maru.example" && mail.recipients == ["a@b.kr"])
            #expect(mail.subject == "제목" && mail.text == text)
        }
    }

    @Test("A server's refusal of the recipient is final; a busy server is not")
    func refusals() async throws {
        try await withServer { mails, client, loop in
            let message = message()
            mails.refuse(with: 550)
            await #expect(throws: MailFailure.refused(code: 550)) {
                try await loop.run { try await client.send(message) }
            }
            mails.refuse(with: 451)
            await #expect {
                try await loop.run { try await client.send(message) }
            } throws: { error in
                guard case MailFailure.unavailable(code: 451, _) = error else { return false }
                return true
            }
            try await loop.run { try await client.send(message) }
            #expect(mails.sent.count == 1)
        }
    }

    @Test("A server that refuses the connection or the sender refuses no mail for good")
    func refusedSender() async throws {
        try await withServer { mails, client, loop in
            let message = message()
            mails.refuseSender(with: 550)
            mails.refuseConnection(with: 554)
            for _ in 0..<2 {
                await #expect {
                    try await loop.run { try await client.send(message) }
                } throws: { error in
                    guard case MailFailure.unavailable = error else { return false }
                    return true
                }
            }
            #expect(mails.asked == 0)
            try await loop.run { try await client.send(message) }
            #expect(mails.sent.count == 1)
        }
    }

    @Test("Nothing is sent to a server without TLS if TLS is required")
    func plainServer() async throws {
        try await withServer(
            { mails, client, loop in
                let message = message()
                await #expect {
                    try await loop.run { try await client.send(message) }
                } throws: { error in
                    guard case MailFailure.unavailable = error else { return false }
                    return true
                }
                #expect(mails.asked == 0 && mails.sent.isEmpty)
            }, requiresTLS: true)
    }

    @Test("A server that is gone is unavailable, and a closed client sends nothing")
    func gone() async throws {
        try await withServer { _, client, loop in
            let message = message()
            client.close()
            await #expect(throws: MailFailure.self) { try await loop.run { try await client.send(message) } }
            let nobody = SMTPClient(SMTPServer(url: "smtp://127.0.0.1:1", requiresTLS: false))
            await #expect {
                try await loop.run { try await nobody.send(message) }
            } throws: { error in
                guard case MailFailure.unavailable(code: 0, _) = error else { return false }
                return true
            }
        }
    }
}
