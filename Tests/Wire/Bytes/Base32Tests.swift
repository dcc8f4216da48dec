import Testing
import Wire

@Suite("Base32")
struct Base32Tests {
    @Test(
        "The vectors of RFC 4648, without padding",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func vectors(text: String, encoded: String) {
        #expect(Base32.encode(Array(text.utf8).span) == encoded)
    }
}
