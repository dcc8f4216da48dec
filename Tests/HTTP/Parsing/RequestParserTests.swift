import Testing

@testable import HTTP

@Suite struct RequestParserTests {
    private struct Parsed {
        let parts: HeadParts
        let fields: [(name: String, value: String)]
        let length: Int
        let text: [UInt8]

        func text(_ range: HeadRange) -> String { String(decoding: text[range.range], as: UTF8.self) }
    }

    private static func parse(_ text: String, limits: RequestLimits = RequestLimits()) throws(Refusal) -> Parsed? {
        let bytes = Array(text.utf8)
        var parser = RequestParser(limits: limits)
        let length: Int?
        do {
            length = try bytes.withUnsafeBytes { try parser.parse($0) }
        } catch {
            throw error as? Refusal ?? .malformed
        }
        guard let length else { return nil }
        let fields = parser.fields.map { field in
            (
                name: String(decoding: bytes[field.name.range], as: UTF8.self),
                value: String(decoding: bytes[field.value.range], as: UTF8.self)
            )
        }
        return Parsed(parts: parser.parts, fields: fields, length: length, text: bytes)
    }

    @Test("The parser finds method, target, host, framing, fields and the end of a head")
    func whole() throws {
        let text =
            "POST /v1/a%2Fb?x=1?2 HTTP/1.1\r\nHost: maru.example:8080\r\nX-Empty:\r\nX-Tab:\ta\tb \t\r\n"
            + "Content-Length: 007\r\nX-한글: no\r\n\r\n"
        #expect(throws: Refusal.self) { try Self.parse(text) }
        let fine = text.replacing("X-한글: no", with: "X-Value: 한글 \u{80}") + "body"
        let parsed = try #require(try Self.parse(fine))
        #expect(parsed.parts.method == .post && parsed.parts.minorVersion == 1 && parsed.parts.keepsAlive)
        #expect(parsed.text(parsed.parts.path) == "/v1/a%2Fb")
        #expect(parsed.parts.query.map(parsed.text) == "x=1?2")
        #expect(parsed.text(parsed.parts.host) == "maru.example:8080")
        #expect(parsed.parts.framing == .length(7))
        #expect(parsed.fields.map(\.name) == ["Host", "X-Empty", "X-Tab", "Content-Length", "X-Value"])
        #expect(parsed.fields.map(\.value) == ["maru.example:8080", "", "a\tb", "007", "한글 \u{80}"])
        #expect(parsed.length == fine.utf8.count - 4)
    }

    private static let valid = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "HEAD /?? HTTP/1.0\r\n\r\n", "OPTIONS * HTTP/1.1\r\nhost: [::1]:80\r\nConnection: keep-alive , Close\r\n\r\n",
        "DELETE http://a.b/c?d HTTP/1.1\r\nHOST: A.b\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
        "X!#$%&'*+-.^_`|~9 /\\^`{|}\"<> HTTP/1.1\r\nHost: a_b-c~!$&'()*+;=%20\r\n!#$%&'*+-.^_`|~9: ()<>@,;:\\\"/[]?={}\r\n\r\n",
        "PUT / HTTP/1.7\r\nHost: a\r\nContent-Length: 999999999999999999\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: 1234567\t7654321\t\t1234\r\nY:   \r\n\r\n",
    ]

    @Test("A head that arrives in pieces, cut anywhere, is parsed like a whole one", arguments: valid)
    func cut(text: String) throws {
        let bytes = Array(text.utf8)
        let whole = try #require(try Self.parse(text))
        #expect(whole.length == bytes.count)
        for cut in 0..<bytes.count {
            var parser = RequestParser(limits: RequestLimits())
            #expect(try bytes[..<cut].withUnsafeBytes { try parser.parse($0) } == nil, "complete at \(cut)")
            #expect(try bytes.withUnsafeBytes { try parser.parse($0) } == bytes.count)
            #expect(parser.parts.path.range == whole.parts.path.range)
            #expect(parser.parts.framing == whole.parts.framing && parser.parts.method == whole.parts.method)
            #expect(parser.parts.keepsAlive == whole.parts.keepsAlive && parser.fields.count == whole.fields.count)
        }
        var parser = RequestParser(limits: RequestLimits())
        for count in 1..<bytes.count { #expect(try bytes[..<count].withUnsafeBytes { try parser.parse($0) } == nil) }
        #expect(try bytes.withUnsafeBytes { try parser.parse($0) } == bytes.count)
    }

    @Test("A parser reads the next head like the first")
    func nextHead() throws {
        var parser = RequestParser(limits: RequestLimits())
        for text in Self.valid + Self.valid.reversed() {
            let bytes = Array(text.utf8)
            #expect(try bytes.withUnsafeBytes { try parser.parse($0) } == bytes.count)
            let whole = try #require(try Self.parse(text))
            #expect(parser.parts.framing == whole.parts.framing && parser.fields.count == whole.fields.count)
            #expect(parser.parts.expectsContinue == whole.parts.expectsContinue)
            _ = parser.takeHead()
        }
    }

    @Test(
        "Version and Connection decide whether the connection is kept",
        arguments: [
            ("1.1", "", true), ("1.1", "close", false), ("1.1", "Keep-Alive", true), ("1.0", "", false),
            ("1.0", "keep-alive", true), ("1.0", "keep-alive, close", false), ("1.1", "upgrade, CLOSE", false),
            ("1.1", "closed", true),
        ])
    func persistence(version: String, connection: String, isKept: Bool) throws {
        let field = connection.isEmpty ? "" : "Connection: \(connection)\r\n"
        let parsed = try Self.parse("GET / HTTP/\(version)\r\nHost: a\r\n\(field)\r\n")
        #expect(parsed?.parts.keepsAlive == isKept)
    }

    @Test("Limits are exact to the byte and to the field")
    func limits() throws {
        var limits = RequestLimits()
        limits.requestLine = 30
        limits.head = 120
        limits.fields = 3
        func request(path: Int = 1, value: Int = 0, fields: Int = 2) -> String {
            "GET /\(String(repeating: "a", count: path - 1)) HTTP/1.1\r\nHost: a\r\n"
                + (1..<fields).map { "X\($0): \(String(repeating: "v", count: $0 == 1 ? value : 0))\r\n" }.joined()
                + "\r\n"
        }
        func refusal(_ text: String) -> Status? {
            do { return try Self.parse(text, limits: limits) == nil ? .ok : nil } catch { return error.status }
        }
        let overhead = "GET  HTTP/1.1".utf8.count
        #expect(refusal(request(path: 30 - overhead)) == nil)
        #expect(refusal(request(path: 31 - overhead)) == .targetTooLong)
        let rest = request().utf8.count
        #expect(refusal(request(value: 120 - rest)) == nil)
        #expect(refusal(request(value: 121 - rest)) == .headersTooLarge)
        #expect(refusal(request(fields: 3)) == nil)
        #expect(refusal(request(fields: 4)) == .headersTooLarge)
        // A line that is too long is refused before its end arrives.
        #expect(refusal("GET /" + String(repeating: "a", count: 26)) == .targetTooLong)
        #expect(refusal("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 120)) == .headersTooLarge)
    }

    @Test("Values, names and targets accept exactly the bytes that RFC 9110 allows")
    func bytes() {
        for byte in UInt8.min...UInt8.max {
            func isTaken(_ text: String) -> Bool {
                let bytes = text.utf8.map { $0 == UInt8(ascii: "\u{1}") ? byte : $0 }
                var parser = RequestParser(limits: RequestLimits())
                return (try? bytes.withUnsafeBytes { try parser.parse($0) }) == bytes.count
            }
            let isVisible = (0x21...0x7E).contains(byte)
            // At every offset within eight bytes, because eight bytes are tested at once.
            for before in 0..<9 {
                let padding = String(repeating: "p", count: before)
                #expect(
                    isTaken("GET / HTTP/1.1\r\nHost: a\r\nX: \(padding)\u{1}pppppppp\r\n\r\n")
                        == (isVisible || byte == 0x20 || byte == 0x09 || byte >= 0x80), "value \(byte)")
            }
            let isToken = isVisible && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
            #expect(
                isTaken("GET / HTTP/1.1\r\nHost: a\r\nN\u{1}N: v\r\n\r\n") == isToken || byte == 0x3A, "name \(byte)")
            #expect(isTaken("G\u{1}T / HTTP/1.1\r\nHost: a\r\n\r\n") == isToken, "method \(byte)")
            #expect(
                isTaken("GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n") == (isVisible && byte != UInt8(ascii: "#")),
                "target \(byte)")
        }
    }

    @Test("A request made in a test is one that a server accepts")
    func withoutConnection() {
        let request = Request(.put, "/a?b", headers: ["SesacKey": "k"], body: Array("{}".utf8))
        #expect(request?.pathText == "/a" && request?.headers.text(.sesacKey) == "k")
        #expect(request?.body.declaredLength == 2)
        #expect(Request(.get, "/a b") == nil && Request(.get, "a") == nil)
    }
}
