import Testing

@testable import HTTP

@Suite struct ReplyCollectorTests {
    @Test("A final reply replaces the interim replies and redirects before it")
    func interimReplies() {
        var reply = ReplyCollector(maximumBodySize: 100)
        for line in ["HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n", "\r\n"] { #expect(head(&reply, line)) }
        for line in ["HTTP/1.1 302 Found\r\n", "Location: /b\r\n", "\r\n"] { #expect(head(&reply, line)) }
        #expect(body(&reply, "moved"))
        for line in ["HTTP/1.1 200 OK\r\n", "ETag:\t \"x\" \r\n", "Empty:\r\n", "\r\n"] { #expect(head(&reply, line)) }
        #expect(body(&reply, "first "))
        #expect(body(&reply, "second"))
        #expect(reply.headers.map(\.name) == ["ETag", "Empty"])
        #expect(reply.headers["etag"] == "\"x\"")
        #expect(reply.headers["empty"] == "")
        #expect(reply.body == Array("first second".utf8))
    }

    @Test(
        "Lines that are not fields are skipped",
        arguments: ["no colon\r\n", ": nameless\r\n", " folded: x\r\n", "a b: c\r\n"])
    func noFields(line: String) {
        var reply = ReplyCollector(maximumBodySize: 100)
        #expect(head(&reply, line))
        #expect(reply.headers.isEmpty)
    }

    @Test("A body may have exactly the allowed size")
    func longBody() {
        var reply = ReplyCollector(maximumBodySize: 10)
        #expect(body(&reply, "12345"))
        #expect(body(&reply, "67890"))
        #expect(!reply.isTooLarge)
        #expect(!body(&reply, "x"))
        #expect(reply.isTooLarge)
    }

    @Test("The total size of all heads is limited, however they are split")
    func longHead() {
        var reply = ReplyCollector(maximumBodySize: 10)
        var lines = 0
        while head(&reply, lines % 2 == 0 ? "HTTP/1.1 100 Continue\r\n" : "a: b\r\n") { lines += 1 }
        #expect(reply.isTooLarge)
        #expect((4000...5000).contains(lines))
    }

    private func head(_ reply: inout ReplyCollector, _ line: String) -> Bool {
        Array(line.utf8).withUnsafeBytes { reply.takeHead($0) }
    }

    private func body(_ reply: inout ReplyCollector, _ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { reply.takeBody($0) }
    }
}
