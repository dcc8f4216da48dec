import EventLoop
import HTTP
import TestSupport
import Testing
import Wire

@Suite struct ConnectionTests {
    @Test("Sequential requests use one connection", arguments: [true, false])
    func keepAlive(isSecure: Bool) async throws {
        let server = try await NginxServer()
        let fixture = ClientFixture { $0.authorities = server.authority }
        let url = isSecure ? server.secure("/connections") : server.plain("/connections")
        var connections: Set<Substring> = []
        for number in 1...20 {
            let reply = try await fixture.get(url)
            #expect(reply.isHTTP2 == isSecure)
            let words = reply.text.split(separator: " ")
            connections.insert(words[0])
            #expect(words[1] == "\(number)")
        }
        #expect(connections.count == 1)
    }

    @Test("Over TLS, hundreds of concurrent requests share one HTTP/2 connection")
    func multiplexing() async throws {
        let server = try await NginxServer()
        let fixture = ClientFixture { $0.authorities = server.authority }
        let url = server.secure("/connections")
        let connections = try await fixture.concurrently(100) { client, _ in
            let reply = try await client.send(HTTPClient.Request(.get, url).patient)
            #expect(reply.isHTTP2)
            return reply.text.split(separator: " ")[0]
        }
        #expect(connections.count == 100)
        #expect(Set(connections).count == 1)
    }

    @Test("More requests than the server allows on a connection all get their replies")
    func manyStreams() async throws {
        let server = try await NginxServer(settings: "http2_max_concurrent_streams 4;")
        let fixture = ClientFixture {
            $0.authorities = server.authority
            $0.maximumConnectionsPerHost = 2
        }
        let url = server.secure("/connections")
        let connections = try await fixture.concurrently(300) { client, _ in
            try await client.send(HTTPClient.Request(.get, url).patient).text.split(separator: " ")[0]
        }
        #expect(connections.count == 300)
        // A connection whose server refuses a stream is replaced. Without a limit there would be dozens.
        #expect(Set(connections).count < 10)
    }

    @Test(
        "A connection that the server retires is replaced, and no idempotent request is lost",
        arguments: [Method.get, .post])
    func retiredConnections(method: Method) async throws {
        let server = try await NginxServer(settings: "keepalive_requests 7;")
        let fixture = ClientFixture { $0.authorities = server.authority }
        for url in [server.secure("/connections"), server.plain("/connections")] {
            let connections = try await fixture.concurrently(10) { client, _ in
                var request = HTTPClient.Request(method, url, body: method == .post ? [1] : []).patient
                request.isIdempotent = true
                var connections: [Substring] = []
                for _ in 0..<200 { connections.append(try await client.send(request).text.split(separator: " ")[0]) }
                return connections
            }
            #expect(connections.joined().count == 2000)
            #expect(Set(connections.joined()).count >= 2000 / 8)
        }
    }

    @Test("Large bodies travel both ways over HTTP/2, many at once")
    func largeBodies() async throws {
        let server = try await NginxServer()
        let fixture = ClientFixture { $0.authorities = server.authority }
        let upload = [UInt8](repeating: 7, count: 3 << 20)
        let sizes = try await fixture.concurrently(8) { client, number in
            if number % 2 == 0 {
                let put = HTTPClient.Request(.put, server.secure("/upload"), body: upload)
                return try await client.send(put.patient).text
            }
            var request = HTTPClient.Request(.get, server.secure("/large"))
            request.maximumReplySize = 2 << 20
            return "\(try await client.send(request.patient).body.count)"
        }
        #expect(sizes.sorted() == Array(repeating: "\(1 << 20)", count: 4) + Array(repeating: "\(3 << 20)", count: 4))
    }

    @Test("A server that offers only HTTP/1.1 over TLS gets HTTP/1.1")
    func withoutHTTP2() async throws {
        let server = try await NginxServer(protocols: "")
        let fixture = ClientFixture { $0.authorities = server.authority }
        let url = server.secure("/hello")
        let replies = try await fixture.concurrently(20) { client, _ in
            try await client.send(HTTPClient.Request(.get, url).patient)
        }
        #expect(replies.allSatisfy { $0.text == "hello" && !$0.isHTTP2 })
    }

    @Test("A server with an untrusted certificate or another name is refused")
    func untrusted() async throws {
        let server = try await NginxServer()
        let stranger = ClientFixture()
        let failure = await stranger.failure(of: server.secure("/hello"))
        #expect(failure?.kind == .untrusted)
        #expect(failure?.mayHaveBeenProcessed == false)

        let fixture = ClientFixture { $0.authorities = server.authority }
        let otherName = "https://ip6-localhost:\(server.securePort)/hello"
        #expect(await fixture.failure(of: otherName)?.kind != nil)
        #expect(try await fixture.get("https://127.0.0.1:\(server.securePort)/hello").text == "hello")
        #expect(await fixture.failure(of: "https://localhost:\(server.plainPort)/hello")?.kind == .untrusted)
        let withoutFile = ClientFixture { $0.authorities = "/nowhere.pem" }
        #expect(await withoutFile.failure(of: server.secure("/hello"))?.kind == .untrusted)
    }

    @Test("Concurrent plain requests have connections of their own, up to the limit")
    func plainConnections() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture { $0.maximumConnectionsPerHost = 4 }
        let url = server.url("/echo?plain")
        let connections = try await fixture.concurrently(40) { client, _ in
            try JSONValue(parsing: await client.send(HTTPClient.Request(.get, url).patient).body)["connection"]?.int
        }
        #expect((2...4).contains(Set(connections).count))
    }

    @Test("A plain request does not wait for the reply to an earlier slow one")
    func headOfLine() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture()
        async let slow = fixture.failure(of: server.url("/never?before"))
        try await server.hasSeen("/never?before")
        #expect(try await fixture.get(server.url("/echo")).status == .ok)
        fixture.client.close()
        #expect(await slow?.kind == .closed)
    }

    @Test("A request beyond the limit is refused at once, and the others are not disturbed")
    func overloaded() async throws {
        let server = try await PythonServer.ofThisProcess()
        let fixture = ClientFixture { $0.maximumTransfers = 10 }
        let url = server.url("/slow?0.2")
        let kinds = try await fixture.concurrently(15) { client, _ in
            do throws(HTTPClient.Failure) {
                _ = try await client.send(HTTPClient.Request(.get, url).patient)
                return nil as HTTPClient.Failure.Kind?
            } catch {
                return error.kind
            }
        }
        #expect(kinds.count { $0 == nil } == 10)
        #expect(kinds.count { $0 == .overloaded } == 5)
        #expect(try await fixture.get(url).status == .ok)
    }

    @Test("Every loop has connections of its own")
    func loops() async throws {
        let server = try await NginxServer()
        let fixture = ClientFixture(loops: 2) { $0.authorities = server.authority }
        let url = server.secure("/connections")
        let client = fixture.client
        var connections: [Substring] = []
        for loop in fixture.group.loops + fixture.group.loops {
            connections.append(
                try await loop.run {
                    try await client.send(HTTPClient.Request(.get, url).patient).text.split(separator: " ")[0]
                })
        }
        #expect(Set(connections).count == 2)
        #expect(connections[0] == connections[2])
    }
}
