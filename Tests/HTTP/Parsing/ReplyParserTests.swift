import Testing

@testable import HTTP

@Suite struct ReplyParserTests {
    @Test("A reply's head is parsed with its status, fields and length")
    func head() throws {
        let text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nX-Many: a\r\nX-Many: \tb \r\n\r\n"
        let head = try #require(try ReplyParser.parse(Array((text + "rest").utf8).span.bytes))
        #expect(head.status == .switchingProtocols && head.length == text.utf8.count)
        #expect(head.headers["upgrade"] == "websocket" && head.headers.all("X-Many") == ["a", "b"])
        let short = try ReplyParser.parse(Array("HTTP/1.0 204\r\n\r\n".utf8).span.bytes)
        #expect(short?.status == .noContent && short?.headers.isEmpty == true)
    }

    @Test("An incomplete head is parsed once the rest has arrived")
    func cut() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nA: b\r\n\r\n".utf8)
        for count in 0..<bytes.count { #expect(try ReplyParser.parse(Array(bytes[..<count]).span.bytes) == nil) }
        #expect(try ReplyParser.parse(bytes.span.bytes) != nil)
    }

    @Test(
        "A malformed head is refused",
        arguments: [
            "SSH-2.0-OpenSSH\r\n", "\u{16}\u{3}\u{1}", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 No\r\n\r\n", "HTTP/1.1 200 OK\nA: b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\u{0}\r\n\r\n", "HTTP/1.1 200 \u{1}\r\n\r\n",
        ])
    func malformed(text: String) {
        #expect(throws: Refusal.self) { try ReplyParser.parse(Array(text.utf8).span.bytes) }
    }

    @Test("A head beyond the limits is refused before its end arrives")
    func limits() {
        let long = "HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: ReplyParser.largestHead)
        #expect(throws: Refusal.self) { try ReplyParser.parse(Array(long.utf8).span.bytes) }
        let many = "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: ReplyParser.mostFields + 1)
        #expect(throws: Refusal.self) { try ReplyParser.parse(Array(many.utf8).span.bytes) }
    }
}
