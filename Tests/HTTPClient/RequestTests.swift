import HTTP
import Testing
import Wire

@Suite struct RequestTests {
    @Test("A request arrives with its method, target, headers and body", arguments: Method.allCases)
    func arrives(method: Method) async throws {
        guard method != .other, method != .head else { return }
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        let headers: Headers = ["X-Name": "마루 äöü", "X-Empty": "", "Content-Type": "application/json"]
        let url = server.url("/echo?a=%2F..%2F&b=1")
        for body in ["", #"{"name":"value"}"#] {
            let request = HTTPClient.Request(method, url, headers: headers, body: Array(body.utf8))
            let reply = try await fixture.send(request)
            #expect(reply.status == .ok)
            #expect(!reply.isHTTP2)
            let echo = try JSONValue(parsing: reply.body)
            #expect(echo["method"]?.string == method.rawValue)
            #expect(echo["target"]?.string == "/echo?a=%2F..%2F&b=1")
            #expect(echo["body"]?.string == body)
            #expect(echo.headers("X-Name") == ["마루 äöü"])
            #expect(echo.headers("X-Empty") == [""])
            #expect(echo.headers("Content-Type") == ["application/json"])
            #expect(echo.headers("User-Agent") == ["maru"])
            #expect(echo.headers("Expect").isEmpty)
            let hasLength = !body.isEmpty || [.post, .put, .patch].contains(method)
            #expect(echo.headers("Content-Length") == (hasLength ? ["\(body.utf8.count)"] : []))
        }
    }

    @Test("A body of any bytes is sent whole, without an added Content-Type or Expect")
    func largeBody() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        let body = [UInt8](repeating: 0, count: 5 << 20)
        let echo = try JSONValue(parsing: await fixture.send(.init(.post, server.url("/echo"), body: body)).body)
        #expect(echo["size"]?.int == 5 << 20)
        #expect(echo.headers("Content-Type").isEmpty)
        #expect(echo.headers("Expect").isEmpty)
    }

    @Test("A HEAD reply has the length of a body that does not follow")
    func head() async throws {
        let server = try await PythonServer.ofThisProcess()
        let reply = try await ClientFixture().send(.init(.head, server.url("/head")))
        #expect(reply.status == .ok)
        #expect(reply.headers[.contentLength] == "1000000000000")
        #expect(reply.headers[.etag] == "\"x\"")
        #expect(reply.body.isEmpty)
    }

    @Test("Every final status is a reply, not a failure", arguments: [204, 304, 400, 401, 404, 429, 500, 503])
    func statuses(code: Int) async throws {
        let server = try await PythonServer.ofThisProcess()
        let reply = try await ClientFixture().get(server.url("/status?\(code)"))
        #expect(reply.status.code == UInt16(code))
        #expect(reply.text == (code == 204 || code == 304 ? "" : "why"))
    }

    @Test("An interim reply is skipped")
    func interim() async throws {
        let server = try await PythonServer.ofThisProcess()
        let reply = try await ClientFixture().get(server.url("/interim"))
        #expect(reply.status == .ok)
        #expect(reply.text == "final")
        #expect(reply.headers["X-Final"] == "yes")
        #expect(!reply.headers.contains("Link"))
    }

    @Test(
        "An invalid request is refused before anything is sent",
        arguments: [
            "", "nonsense", "/path", "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1:1/", "http://",
            "http://user:password@127.0.0.1/", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y",
            "http://127.0.0.1:99999/",
            "http://127.0.0.1/\0/secret",
        ])
    func refused(url: String) async throws {
        let failure = await ClientFixture().failure(of: url)
        #expect(failure?.kind == .invalidRequest)
        #expect(failure?.mayHaveBeenProcessed == false)
    }

    @Test("A header's value cannot begin another header")
    func injection() async throws {
        let server = try await PythonServer.ofThisProcess()
        let request = HTTPClient.Request(.get, server.url("/echo"), headers: ["X-Name": "a\r\nX-Other: b\0c"])
        let echo = try JSONValue(parsing: await ClientFixture().send(request).body)
        #expect(echo.headers("X-Name") == ["a  X-Other: b c"])
        #expect(echo.headers("X-Other").isEmpty)
    }

    @Test("A request is signed for S3 with its method, query, headers and body")
    func signature() async throws {
        let (server, fixture) = (try await PythonServer.ofThisProcess(), ClientFixture())
        let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        let headers: Headers = ["Content-Type": "text/plain", "X-Amz-Content-Sha256": digest]
        let requests: [HTTPClient.Request] = [
            .init(.get, server.url("/signed?list-type=2&prefix=a%2Fb")), .init(.delete, server.url("/signed")),
            .init(.put, server.url("/signed"), headers: headers, body: Array("hello".utf8)),
        ]
        for var request in requests {
            request.signature = AWSSignature(accessKey: "AK", secretKey: "SK", region: "ap-northeast-2", service: "s3")
            #expect(try await fixture.send(request).status == .ok)
            request.signature = AWSSignature(accessKey: "AK", secretKey: "S", region: "ap-northeast-2", service: "s3")
            #expect(try await fixture.send(request).status == .forbidden)
        }
    }

    @Test("Redirects are replies unless requested, and never leave http")
    func redirects() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        let plain = try await fixture.get(server.url("/redirect?/echo"))
        #expect(plain.status.code == 302)
        #expect(plain.headers[.location] == "/echo")

        func following(_ target: String, _ method: Method = .get) -> HTTPClient.Request {
            var request = HTTPClient.Request(method, server.url("/redirect?" + target))
            request.maximumRedirects = 2
            return request
        }
        let followed = try await fixture.send(following("/echo"))
        #expect(followed.status == .ok)
        #expect(!followed.headers.contains(.location))
        #expect(try await fixture.send(following("/echo", .post)).status.code == 302)
        #expect(await fixture.failure(of: following("/redirect?/redirect?/echo"))?.kind == .redirected)
        #expect(await fixture.failure(of: following("file:///etc/passwd"))?.kind == .redirected)
    }
}

extension JSONValue {
    /// The values of a header in the reply of `/echo`.
    func headers(_ name: String) -> [String] {
        self["headers"]?.elements?.filter { $0[0]?.string == name }.compactMap {
            // The server reads the bytes of a head one by one.
            String(decoding: $0[1]?.string?.utf8 ?? "".utf8, as: UTF8.self)
        } ?? []
    }
}
