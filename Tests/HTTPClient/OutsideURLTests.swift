import HTTP
import Testing

@Suite("URLs of strangers")
struct OutsideURLTests {
    @Test("A URL has its host and port")
    func parts() throws {
        for (text, host, port) in [
            ("https://a.example", "a.example", 443), ("http://a.example/", "a.example", 80),
            ("HTTPS://A.example:8443/x?y=z", "A.example", 8443), ("https://a.example?x", "a.example", 443),
            ("http://192.0.2.1:81/", "192.0.2.1", 81), ("http://[2001:db8::1]/a", "2001:db8::1", 80),
            ("http://[::1]:82", "::1", 82),
        ] as [(String, String, UInt16)] {
            let url = try #require(OutsideURL(text), "\(text)")
            #expect(url.host == host && url.port == port && url.text == text)
        }
    }

    @Test(
        "Another scheme, a user, a fragment and anything malformed is no such URL",
        arguments: [
            "", "a.example", "//a.example", "ftp://a.example", "file:///etc/passwd", "gopher://a.example", "https://",
            "https:///a", "https://u@a.example", "https://u:p@a.example", "https://a.example#b", "https://a.example/#",
            "https://a.example\\@b.example", "https://a b.example", "https://a.example/ b", "https://a.example\n",
            "https://\u{AC00}.example", "https://a.example:0", "https://a.example:65536", "https://a.example:x",
            "https://a.example:", "https://a.example:80:80", "https://[::1", "https://::1", "https://[a.example]",
            "https://[127.0.0.1]", "https://[::1]x", "https://[fe80::1%25eth0]", "https://a%2eexample",
            "https://a.example/" + String(repeating: "a", count: 2000),
        ])
    func others(text: String) { #expect(OutsideURL(text) == nil) }
}
