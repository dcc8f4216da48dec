import Testing
import Wire

@testable import auth_service

@Suite("Texts of mails")
struct MailTemplateTests {
    private let values = MailValues(
        moment: Timestamp(milliseconds: 1_795_459_500_000), expiry: Timestamp(milliseconds: 1_795_460_100_000),
        code: "012345", detail: "native")

    @Test("Every mail has a text in each language", arguments: MailTemplate.allCases)
    func complete(template: MailTemplate) {
        let (korean, english) = (template.text(in: .korean, values), template.text(in: .english, values))
        #expect(korean.subject.hasPrefix("[마루] ") && english.subject.hasPrefix("[Maru] "))
        #expect(!english.text.unicodeScalars.contains { $0.value > 0x7F })
        let isCode = [.verification, .address, .reset].contains(template)
        for text in [korean, english] {
            #expect(text.text.contains("012345") == isCode && text.subject.contains("012345") == isCode)
        }
        if isCode { #expect(korean.text.contains("10분") && english.text.contains("10 minutes")) }
    }

    @Test("Times are in the reader's zone")
    func times() {
        #expect(MailTime.text(of: values.moment, in: .english) == "2026-11-23 18:45 UTC")
        #expect(MailTime.text(of: values.moment, in: .korean) == "2026-11-24 03:45 (한국 시간)")
    }

    @Test(
        "The language is the first of ours in the header, by weight",
        arguments: [
            ("ko-KR,ko;q=0.9,en;q=0.8", "ko"), ("en-US,en;q=0.9", "en"), ("fr, en;q=0.4, ko;q=0.5", "ko"), ("KO", "ko"),
            ("fr", nil), ("", nil), ("kok", nil), ("en;q=0", nil),
        ] as [(String, String?)])
    func language(header: String, expected: String?) {
        #expect(MailLanguage(acceptLanguage: header)?.rawValue == expected)
    }

    @Test("Waits double from five seconds to an hour, and vary by half")
    func waits() {
        #expect(MailRetry.wait(after: 1, spread: 1) == .seconds(5))
        #expect(MailRetry.wait(after: 1, spread: 0) == .milliseconds(2500))
        #expect(MailRetry.wait(after: 2, spread: 1) == .seconds(10))
        #expect(MailRetry.wait(after: 60, spread: 1) == .seconds(3600))
    }
}
