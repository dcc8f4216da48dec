import Foundation
import Testing
import Wire

@Suite("Percent-encoding")
struct PercentEncodingTests {
    private static let encodings: [PercentEncoding] = [.strict, .queryComponent, .form]

    @Test("Each part of a URL escapes the characters that would end it")
    func parts() {
        let text = "a b/c?d&e=f+g#h%i;j,k~l'한\u{0}"
        #expect(PercentEncoding.strict.encode(text) == "a%20b%2Fc%3Fd%26e%3Df%2Bg%23h%25i%3Bj%2Ck~l%27%ED%95%9C%00")
        #expect(PercentEncoding.queryComponent.encode(text) == "a%20b/c?d%26e%3Df%2Bg%23h%25i%3Bj,k~l'%ED%95%9C%00")
        #expect(PercentEncoding.form.encode(text) == "a+b%2Fc%3Fd%26e%3Df%2Bg%23h%25i%3Bj%2Ck%7El%27%ED%95%9C%00")
    }

    @Test("Encoded text decodes to itself, and the strict encoding is Foundation's of unreserved characters")
    func roundTrips() {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 0..<20)).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0..<0x2FFF)) }
            let text = String(String.UnicodeScalarView(scalars))
            for encoding in Self.encodings {
                let decoded = PercentEncoding.decode(encoding.encode(text), plusIsBlank: true)
                #expect(decoded?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
            }
            #expect(
                PercentEncoding.strict.encode(text) == text.addingPercentEncoding(withAllowedCharacters: unreserved))
        }
    }

    @Test("Digits of either case are read, and a plus is a blank only if asked for")
    func reading() {
        #expect(PercentEncoding.decode("%ed%95%9C+%2b") == "한++")
        #expect(PercentEncoding.decode("%ed%95%9C+%2b", plusIsBlank: true) == "한 +")
        #expect(PercentEncoding.decode("") == "")
        #expect(PercentEncoding.decode("%2525") == "%25")
        #expect(PercentEncoding.decode(Array("x%2Fy".utf8)[1...]) == "/y")
    }

    @Test(
        "Malformed escapes are refused",
        arguments: [
            "%", "a%", "%4", "%4g", "%g4", "%%41", "%+1", "%-1", "%ff", "%ED%95", "%C0%AF", "%ED%A0%80", "% 41",
        ])
    func refused(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }
}
