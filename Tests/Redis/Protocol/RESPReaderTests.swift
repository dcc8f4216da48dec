import Testing

@testable import Redis

@Suite struct RESPReaderTests {
    @Test("Every kind of reply is parsed to its value")
    func kinds() throws {
        #expect(try parse("+OK\r\n") == [.status("OK")])
        #expect(try parse(":-42\r\n") == [.integer(-42)])
        #expect(try parse("$5\r\nhello\r\n") == [.bytes(Array("hello".utf8))])
        #expect(try parse("$0\r\n\r\n") == [.bytes([])])
        #expect(try parse("$-1\r\n") == [.null])
        #expect(try parse("*-1\r\n") == [.null])
        #expect(try parse("*0\r\n") == [.array([])])
        #expect(try parse("-ERR no\r\n") == [.error(RedisRefusal(message: "ERR no"))])
    }

    @Test("Arrays nest, and a value after a nested array does not become part of it")
    func nesting() throws {
        let text = "*3\r\n*2\r\n:1\r\n*1\r\n:2\r\n*0\r\n:3\r\n:4\r\n"
        let nested = RedisValue.array([
            .array([.integer(1), .array([.integer(2)])]), .array([]), .integer(3),
        ])
        #expect(try parse(text) == [nested, .integer(4)])
    }

    @Test("Replies are the same wherever the bytes are cut")
    func everyCut() throws {
        let bytes = Array("*2\r\n$3\r\na\r\n\r\n*2\r\n:7\r\n$-1\r\n+OK\r\n$4\r\n\u{0}\u{1}\r\n\r\n".utf8)
        let whole = try parse(bytes)
        #expect(whole.count == 3)
        for cut in 0...bytes.count {
            let reader = RESPReader(limit: 1000)
            var replies: [RedisValue] = []
            try reader.feed(Array(bytes[..<cut])) { replies.append($0) }
            try reader.feed(Array(bytes[cut...])) { replies.append($0) }
            #expect(replies == whole, "cut at \(cut)")
        }
    }

    @Test("A hundred thousand replies in one read are parsed in order")
    func many() throws {
        let text = (0..<100_000).map { ":\($0)\r\n" }.joined()
        #expect(try parse(text) == (0..<100_000).map { .integer($0) })
    }

    @Test(
        "Input that is not RESP, too large or too deep is refused",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n", "*99999999\r\n", "$5\r\nhelloXX", ":12x\r\n", "*-2\r\n", "$-2\r\n",
            String(repeating: "*1\r\n", count: 12), "$9223372036854775807\r\nx\r\n",
            "$5000\r\n" + String(repeating: "x", count: 2000),
            "*2\r\n$600\r\n" + String(repeating: "x", count: 600)
                + "\r\n$600\r\n" + String(repeating: "x", count: 600) + "\r\n",
        ])
    func refusals(text: String) {
        #expect(throws: RESPReader.Malformed.self) {
            let reader = RESPReader(limit: 1000)
            try reader.feed(Array(text.utf8)) { _ in }
            // An array that is never completed is refused by its size, once enough of it has arrived.
            try reader.feed([UInt8](repeating: 0, count: 1001)) { _ in }
        }
    }

    @Test("An announced number of elements takes up no memory before they arrive")
    func claims() throws {
        let reader = RESPReader(limit: 1 << 30)
        try reader.feed(Array("*10000000\r\n*10000000\r\n*10000000\r\n:1\r\n".utf8)) { _ in }
    }

    @Test("Replies before a refused one are delivered")
    func beforeRefusal() {
        let reader = RESPReader(limit: 1000)
        var replies: [RedisValue] = []
        #expect(throws: RESPReader.Malformed.self) {
            try reader.feed(Array(":1\r\n:2\r\n?".utf8)) { replies.append($0) }
        }
        #expect(replies == [.integer(1), .integer(2)])
    }

    private func parse(_ text: String) throws -> [RedisValue] { try parse(Array(text.utf8)) }

    private func parse(_ bytes: [UInt8]) throws -> [RedisValue] {
        let reader = RESPReader(limit: 1 << 20)
        var replies: [RedisValue] = []
        try reader.feed(bytes) { replies.append($0) }
        return replies
    }
}

extension RESPReader {
    fileprivate func feed(_ bytes: [UInt8], _ take: (RedisValue) -> Void) throws {
        try bytes.withUnsafeBytes { try read($0, take) }
    }
}
