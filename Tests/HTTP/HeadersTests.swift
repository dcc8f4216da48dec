import Testing

@testable import HTTP

@Suite struct HeadersTests {
    @Test("Fields are found, replaced and removed by their name in any case, in order")
    func fields() {
        var headers: Headers = [.contentType: "text/plain", .setCookie: "a=1"]
        headers.append(.setCookie, "b=2")
        headers.append("X-Number", 42)
        headers.append("X-Bytes", Array("raw".utf8)[1...])
        headers.append("X-Static", "static" as StaticString)
        #expect(headers["content-type"] == "text/plain" && headers["CONTENT-TYPE"] == "text/plain")
        #expect(headers.all("set-cookie") == ["a=1", "b=2"])
        #expect(headers["X-Number"] == "42" && headers["X-Bytes"] == "aw" && headers["X-Static"] == "static")
        #expect(headers["Content"] == nil && !headers.contains("Content-Typ"))
        headers.set(.contentType, "text/html")
        headers.remove("Set-cookie")
        #expect(headers.map(\.name) == ["X-Number", "X-Bytes", "X-Static", "Content-Type"])
        #expect(headers.map(\.value) == ["42", "aw", "static", "text/html"])
        #expect(!headers.isEmpty && Headers().isEmpty)
    }

    @Test(
        "A value keeps its valid characters, and all others become spaces",
        arguments: [
            ("plain", "plain"), ("", ""), ("tab\there", "tab\there"), ("마루", "마루"), ("a\r\nb", "a  b"),
            ("\u{0}\u{7F}", "  "),
            ("a: b", "a: b"), ("\r\n\r\n<script>", "    <script>"),
        ])
    func values(given: String, kept: String) {
        var headers = Headers()
        headers.append("X", given)
        headers.append("Y", "next")
        #expect(headers["X"] == kept && headers["Y"] == "next")
        #expect(headers.lines.filter { $0 == 0x0A }.count == 2 && headers.lines.filter { $0 == 0x0D }.count == 2)
    }

    @Test("A name is a token", arguments: ["", "a b", "a:", "a\r\nb", "ä", "a\u{0}"])
    func names(text: String) { #expect(HeaderName(text) == nil) }

    @Test("Framing fields of any spelling are not sent")
    func framing() {
        var headers: Headers = [
            "connection": "a", "CONTENT-LENGTH": "1", "Transfer-encoding": "chunked", "X-Kept": "b",
        ]
        headers.append("User-Agent", "ten letters")
        let sent = headers.withoutFraming { String(decoding: $0, as: UTF8.self) }
        #expect(sent == "X-Kept: b\r\nUser-Agent: ten letters\r\n")
    }

    @Test("A list field lists its tokens in any case, over several fields")
    func lists() throws {
        let request = try #require(
            Request(.get, "/", headers: ["Connection": "a, Upgrade ,b", "connection": "keep-alive"]))
        #expect(
            request.headers.lists("upgrade", in: .connection) && request.headers.lists("keep-alive", in: .connection))
        #expect(!request.headers.lists("up", in: .connection) && !request.headers.lists("upgrade", in: .upgrade))
    }
}

@Suite struct ResponseHeadTests {
    private static func head(
        _ response: Response, _ method: Method = .get, version: UInt8 = 1, keepsAlive: Bool = true, may: Bool = true
    ) -> ResponseHead {
        var parts = HeadParts()
        parts.method = method
        parts.minorVersion = version
        parts.keepsAlive = keepsAlive
        return ResponseHead(response, to: parts, mayKeepAlive: may)
    }

    @Test("The end of a body is framed by its length if it is known, else by chunks or the connection's end")
    func lengths() {
        let open = Response(body: .stream(length: nil) { _ in })
        #expect(Self.head(.json([1, 2, 3])).length == .known(3))
        #expect(Self.head(Response()).length == .known(0))
        #expect(Self.head(open).length == .chunked)
        let old = Self.head(open, version: 0)
        #expect(old.length == .untilClose && !old.keepsAlive)
        for status in [Status(101), .noContent, .notModified] {
            let bodiless = Self.head(Response(status, type: "text/plain", [1]))
            #expect(bodiless.length == .none && !bodiless.sendsBody)
        }
        let toHead = Self.head(.json([1, 2, 3]), .head)
        #expect(toHead.length == .known(3) && !toHead.sendsBody)
    }

    @Test("A connection is kept only if both sides allow it")
    func persistence() {
        #expect(Self.head(Response()).keepsAlive)
        #expect(!Self.head(Response(), keepsAlive: false).keepsAlive)
        #expect(!Self.head(Response(), may: false).keepsAlive)
    }

    @Test("A head has a status line, a date, the fields and the framing")
    func text() {
        var date = DateField()
        date.refresh(now: 0)
        let response = Response(.created, type: "text/plain", [1, 2])
        func text(_ head: ResponseHead, _ headers: Headers, _ body: [UInt8] = []) -> String {
            var bytes: [UInt8] = []
            date.line.withUnsafeBytes { date in
                body.withUnsafeBytes { head.append(headers, date: date, body: $0, to: &bytes) }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        let first = text(Self.head(response), response.headers, Array("ab".utf8))
        #expect(first.hasPrefix("HTTP/1.1 201 Created\r\nDate: "))
        #expect(first.hasSuffix(" GMT\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nab"))
        let last = text(Self.head(Response(Status(299)), may: false), Headers())
        #expect(last.hasSuffix("Content-Length: 0\r\nConnection: close\r\n\r\n"))
        #expect(last.hasPrefix("HTTP/1.1 299 \r\n"))
    }

    @Test("The date is rendered once a second")
    func date() {
        var date = DateField()
        date.refresh(now: 1)
        let first = date.line
        #expect(first.count == 37)
        date.refresh(now: 2)
        #expect(date.line == first)
        // Two seconds later by the loop's clock it reads the wall clock again.
        date.refresh(now: 2_000_000_002)
        #expect(date.line.count == 37)
    }
}
