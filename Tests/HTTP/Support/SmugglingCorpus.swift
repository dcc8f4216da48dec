/// Requests that two servers could read differently, and malformed requests: each is refused and its connection closed.
enum SmugglingCorpus {
    static let refused: [(name: String, request: String)] = framing + chunks + heads + hosts + targets

    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: test\r\n\(fields)\r\n\(body)"
    }

    private static func get(_ fields: String) -> String { "GET / HTTP/1.1\r\nHost: test\r\n\(fields)\r\n" }

    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: test\r\n\r\n"

    private static let framing: [(name: String, request: String)] = [
        ("CL.TE", post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\nG")),
        ("TE.CL", post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "5c\r\n" + smuggled + "\r\n0\r\n\r\n")),
        ("two lengths that differ", post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!")),
        ("the same length twice", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello")),
        ("lengths in a list", post("Content-Length: 5, 5\r\n", "hello")),
        ("a negative length", post("Content-Length: -1\r\n")),
        ("a length with a sign", post("Content-Length: +5\r\n", "hello")),
        ("a length with a blank", post("Content-Length: 1 0\r\n", "hello")),
        ("a hexadecimal length", post("Content-Length: 0x5\r\n", "hello")),
        ("an empty length", post("Content-Length:\r\n")),
        ("a length beyond 64 bits", post("Content-Length: 99999999999999999999\r\n")),
        ("a fraction for a length", post("Content-Length: 5.0\r\n", "hello")),
        ("chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
        ("chunked and identity", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n")),
        ("another coding", post("Transfer-Encoding: gzip\r\n", "0\r\n\r\n")),
        ("another coding before", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")),
        ("chunked not last", post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n")),
        ("a coding that looks like chunked", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")),
        ("a quoted coding", post("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n")),
        ("a coding behind a vertical tab", post("Transfer-Encoding: \u{0B}chunked\r\n", "0\r\n\r\n")),
        ("an empty coding", post("Transfer-Encoding:\r\n", "0\r\n\r\n")),
        ("a coding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("a blank before the colon", post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n")),
        ("a tab before the colon", post("Content-Length\t: 5\r\n", "hello")),
    ]

    private static let chunks: [(name: String, request: String)] = [
        ("a size that is no number", "x\r\nhello\r\n0\r\n\r\n"),
        ("an empty size", "\r\nhello\r\n0\r\n\r\n"),
        ("a negative size", "-5\r\nhello\r\n0\r\n\r\n"),
        ("a size with a sign", "+5\r\nhello\r\n0\r\n\r\n"),
        ("a size with 0x", "0x5\r\nhello\r\n0\r\n\r\n"),
        ("a size behind a blank", " 5\r\nhello\r\n0\r\n\r\n"),
        ("a size before a blank", "5 \r\nhello\r\n0\r\n\r\n"),
        ("a size beyond 64 bits", "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
        ("a size that wraps around", "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        ("data longer than its size", "3\r\nhello\r\n0\r\n\r\n"),
        ("data shorter than its size", "6\r\nhello\r\n0\r\n\r\n"),
        ("a size line that ends in LF", "5\nhello\r\n0\r\n\r\n"),
        ("a size line that ends in CR", "5\rhello\r\n0\r\n\r\n"),
        ("data that ends in LF", "5\r\nhello\n0\r\n\r\n"),
        ("a NUL in an extension", "5;a=\u{0}\r\nhello\r\n0\r\n\r\n"),
        ("an LF in an extension", "5;a=b\nX\r\nhello\r\n0\r\n\r\n"),
        ("an endless extension", "5;\(String(repeating: "a", count: 1000))\r\nhello\r\n0\r\n\r\n"),
        ("a last chunk that ends in LF", "5\r\nhello\r\n0\n\r\n"),
        ("a trailer that ends in LF", "0\r\nX: y\n\r\n"),
        ("a NUL in a trailer", "0\r\nX: \u{0}\r\n\r\n"),
        ("a folded trailer", "0\r\nX: y\r\n z\r\n\r\n"),
        ("an endless trailer", "0\r\n\(String(repeating: "X: y\r\n", count: 3000))\r\n"),
    ].map { ("chunked: " + $0.0, post("Transfer-Encoding: chunked\r\n", $0.1)) }

    private static let heads: [(name: String, request: String)] = [
        ("bare LF", "GET / HTTP/1.1\nHost: test\n\n"),
        ("bare LF between fields", "GET / HTTP/1.1\r\nHost: test\nX: y\r\n\r\n"),
        ("bare CR in a value", get("X: a\rContent-Length: 5\r\n")),
        ("bare CR before CRLF", get("X: a\r\r\n")),
        ("an empty line of LF", "GET / HTTP/1.1\r\nHost: test\r\n\n"),
        ("a folded value", get("X: a\r\n b\r\n")),
        ("a folded length", "POST / HTTP/1.1\r\nHost: test\r\nContent-Length:\r\n 5\r\n\r\nhello"),
        ("a blank before the first field", "GET / HTTP/1.1\r\n Host: test\r\n\r\n"),
        ("a NUL in a value", get("X: a\u{0}b\r\n")),
        ("a NUL in a name", get("X\u{0}: a\r\n")),
        ("a control character in a value", get("X: a\u{1}b\r\n")),
        ("DEL in a value", get("X: a\u{7F}b\r\n")),
        ("an empty name", get(": a\r\n")),
        ("no colon", get("X\r\n")),
        ("a name with a delimiter", get("X(y): a\r\n")),
        ("a name beyond ASCII", get("Schlüssel: a\r\n")),
        ("two empty lines before the request", "\r\n\r\nGET / HTTP/1.1\r\nHost: test\r\n\r\n"),
        ("no version", "GET /\r\nHost: test\r\n\r\n"),
        ("another protocol", "GET / HTTQ/1.1\r\nHost: test\r\n\r\n"),
        ("version 2", "GET / HTTP/2.0\r\nHost: test\r\n\r\n"),
        ("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ("a version of two digits", "GET / HTTP/1.10\r\nHost: test\r\n\r\n"),
        ("a lowercase protocol", "GET / http/1.1\r\nHost: test\r\n\r\n"),
        ("something behind the version", "GET / HTTP/1.1 x\r\nHost: test\r\n\r\n"),
        ("a tab behind the method", "GET\t/ HTTP/1.1\r\nHost: test\r\n\r\n"),
        ("two blanks behind the method", "GET  / HTTP/1.1\r\nHost: test\r\n\r\n"),
        ("two blanks before the version", "GET /  HTTP/1.1\r\nHost: test\r\n\r\n"),
        ("a blank before the method", " GET / HTTP/1.1\r\nHost: test\r\n\r\n"),
        ("a method that is no token", "G<T / HTTP/1.1\r\nHost: test\r\n\r\n"),
        ("a TLS greeting", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}"),
        ("an unknown expectation", get("Expect: the-unexpected\r\n")),
        ("too many fields", get(String(repeating: "X: y\r\n", count: 101))),
        ("a head too large", get("X: \(String(repeating: "y", count: 17_000))\r\n")),
        ("many fields too large", get(String(repeating: "X: \(String(repeating: "y", count: 400))\r\n", count: 50))),
        ("a target too long", "GET /\(String(repeating: "y", count: 9000)) HTTP/1.1\r\nHost: test\r\n\r\n"),
        ("a target without end", "GET /\(String(repeating: "y", count: 70_000))"),
        ("a field without end", "GET / HTTP/1.1\r\nHost: test\r\nX: \(String(repeating: "y", count: 70_000))"),
    ]

    private static let hosts: [(name: String, request: String)] =
        [("no host", "GET / HTTP/1.1\r\n\r\n"), ("two hosts", get("Host: test\r\n"))]
        + [
            ("an empty host", ""), ("a host with a blank", "te st"), ("a list of hosts", "test, evil"),
            ("a host with a path", "test/evil"), ("a host with a user", "user@test"), ("a host with a query", "test?x"),
            ("a port that is no number", "test:8o"), ("a port too long", "test:123456"), ("only a port", ":80"),
            ("an open bracket", "[::1"), ("no address in brackets", "[]"), ("a name in brackets", "[test]"),
            ("something behind the bracket", "[::1]x"), ("a host beyond ASCII", "tést"), ("a backslash", "te\\st"),
        ].map { ($0.0, "GET / HTTP/1.1\r\nHost: \($0.1)\r\n\r\n") }

    private static let targets: [(name: String, request: String)] =
        [
            ("a relative target", "smuggled"), ("an absolute target that contradicts Host", "http://evil/"),
            ("an absolute target that contradicts Host's port", "http://test:81/"),
            ("an absolute target of another scheme", "ftp://test/"), ("an absolute target without host", "http:///x"),
            ("an absolute target with a user", "http://test@evil/"), ("an authority", "test:80"), ("a star", "*"),
            ("a fragment", "/a#b"), ("a NUL", "/a\u{0}b"), ("a target beyond ASCII", "/ä"), ("a tab", "/a\tb"),
        ].map { ($0.0 + " in the target", "GET \($0.1) HTTP/1.1\r\nHost: test\r\n\r\n") }
        + [("CONNECT", "CONNECT test:443 HTTP/1.1\r\nHost: test:443\r\n\r\n")]
}
