import Testing

@testable import auth_service

@Suite("Email addresses")
struct EmailAddressTests {
    @Test(
        "A key has no ASCII case, is in NFC and has the domain as A-labels",
        arguments: [
            ("A@B.KR", "a@b.kr"), ("u@straße.de", "u@xn--strae-oqa.de"), ("u@XN--STRAE-OQA.de", "u@xn--strae-oqa.de"),
            ("u@한국.kr", "u@xn--3e0b707e.kr"), ("u@bücher.example", "u@xn--bcher-kva.example"),
            ("Jose\u{301}@b.kr", "jos\u{E9}@b.kr"), ("JOS\u{C9}@b.kr", "jos\u{C9}@b.kr"),
            ("\u{212A}@b.kr", "\u{212A}@b.kr"), ("u@\u{212A}.example", "u@\u{212A}.example"),
        ])
    func keys(text: String, key: String) throws {
        #expect(try EmailAddress(text).key.utf8.elementsEqual(key.utf8))
    }

    @Test(
        "Accounts are linked by ASCII addresses only; the domain may be written in Unicode",
        arguments: [
            ("u@b.kr", true), ("u@straße.de", true), ("josé@b.kr", false), ("\u{212A}@b.kr", false),
            ("u@\u{212A}.example", false), ("u@STRASSE\u{DF}.de", false), ("u@bu\u{308}cher.example", false),
        ])
    func linkable(text: String, isLinkable: Bool) throws {
        #expect(try EmailAddress(text).isLinkable == isLinkable)
    }

    @Test(
        "Punycode encodes the samples of RFC 3492",
        arguments: [
            ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
            ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
            ("세계의모든사람들이한국어를이해한다면얼마나좋을까", "989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c"),
            ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"),
        ])
    func punycode(text: String, encoded: String) {
        #expect(Punycode.encode(text)?.lowercased() == encoded.lowercased())
    }
}
