import Testing
import Wire

@testable import Mail

@Suite("Mails on the wire")
struct MailMessageTests {
    private func lines(subject: String = "s", text: String = "t", recipient: String = "a@b.kr") -> [String] {
        let message = MailMessage(
            from: "마루", "no-reply@maru.example", to: recipient, subject: subject, text: text, id: "mail-7",
            date: Timestamp(milliseconds: 784_111_777_000))
        return String(decoding: message.encoded(), as: UTF8.self).split(
            separator: "\r\n", omittingEmptySubsequences: false
        )
        .map(String.init)
    }

    @Test("A mail has the fields that mailboxes expect")
    func fields() {
        let head = Array(lines().prefix { !$0.isEmpty })
        #expect(
            head == [
                "Date: Sun, 06 Nov 1994 08:49:37 +0000", "From: =?utf-8?B?66eI66Oo?= <no-reply@maru.example>",
                "To: <a@b.kr>", "Subject: =?utf-8?B?cw==?=", "Message-ID: <mail-7@maru.example>",
                "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: base64",
            ])
    }

    @Test("A long Korean subject is folded between characters")
    func longSubject() throws {
        let subject = String(repeating: "인증번호 ", count: 20)
        let all = lines(subject: subject)
        let first = try #require(all.firstIndex { $0.hasPrefix("Subject: ") })
        let folded = [all[first]] + all[(first + 1)...].prefix { $0.hasPrefix(" ") }
        #expect(folded.count > 2 && folded.allSatisfy { $0.utf8.count <= 78 })
        let text = folded.map { line in
            let word = line.drop { $0 != "?" }.dropFirst("?utf-8?B?".count).prefix { $0 != "?" }
            return Base64.decode(word.utf8.span, .standard).map { String(decoding: $0, as: UTF8.self) } ?? "?"
        }.joined()
        #expect(text == subject)
    }

    @Test("Text of any length has lines of at most 76 bytes, and no line is a lone dot")
    func body() {
        let all = lines(text: ".\n" + String(repeating: "가", count: 1000))
        let body = all.drop { !$0.isEmpty }.dropFirst()
        #expect(body.allSatisfy { $0.utf8.count <= 76 && $0 != "." })
    }

    @Test("Under the base64 the lines of a text end with CRLF")
    func lineEnds() {
        let body = lines(text: "a\n\nb\n").drop { !$0.isEmpty }.joined()
        let decoded = Base64.decode(body.utf8.span, .standard)
        #expect(decoded == Array("a\r\n\r\nb\r\n".utf8))
    }

    @Test("A line break in a subject or an address adds no field")
    func injection() {
        let all = lines(subject: "a\r\nBcc: x@y.kr", recipient: "a@b.kr>\r\nBcc: <x@y.kr")
        #expect(!all.contains { $0.hasPrefix("Bcc") })
        #expect(all.filter { $0.hasPrefix("To: ") }.count == 1)
    }
}
