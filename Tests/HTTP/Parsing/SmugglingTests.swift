import HTTP
import TestSupport
import Testing

@Suite struct SmugglingTests {
    @Test("An ambiguous request gets one error reply, and its connection is closed")
    func corpus() async throws {
        let smuggled = Counter()
        try await withServer { configuration in
            configuration.headTimeout = .seconds(60)
            configuration.bodyGrace = .seconds(60)
            configuration.refuse = { refusal in
                .json(Array(#"{"errorCode":"E11"}"#.utf8), Status(refusal.status.code == 500 ? 500 : 400))
            }
        } _: { request in
            if request.pathText == "/smuggled" { smuggled.add() }
            return .json(try await request.body.collect(upTo: 100_000))
        } body: { running in
            for (name, request) in SmugglingCorpus.refused {
                let client = try running.client()
                // A request after a refused one is never served.
                client.sendWhileTaken(Array((request + "GET /smuggled HTTP/1.1\r\nHost: test\r\n\r\n").utf8))
                let reply = try client.reply()
                #expect(reply.status == 400, "\(name)")
                #expect(reply.text == #"{"errorCode":"E11"}"#, "\(name)")
                #expect(reply["Connection"] == "close", "\(name)")
                client.connection.finishSending()
                #expect(try client.rest() == "", "\(name)")
            }
        }
        #expect(smuggled.value == 0)
    }

    @Test("The server closes the connection of a refused request by itself, even while the client keeps sending")
    func closing() async throws {
        try await withServer {
            $0.lingerTimeout = .milliseconds(50)
        } _: { request in
            .json(try await request.body.collect(upTo: 100_000))
        } body: { running in
            let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
            let client = try running.client()
            try client.send(head)
            let reply = try client.reply()
            #expect(reply.status == 400 && reply["Connection"] == "close")
            // The end of the server's side comes without one of the client's.
            #expect(try client.rest() == "")
            let sender = client.drip("", every: 1000)
            try running.waitUntilEmpty()
            sender.join()
        }
    }

    @Test("The same requests are refused when they arrive byte by byte")
    func dripped() async throws {
        try await withServer {
            $0.limits.head = 2000
        } _: { request in
            .json(try await request.body.collect(upTo: 100_000))
        } body: { running in
            for (name, request) in SmugglingCorpus.refused where request.utf8.count < 300 {
                let client = try running.client()
                for byte in request.utf8 { client.sendWhileTaken([byte]) }
                let status = try client.reply().status
                #expect(status >= 400 && status != 404, "\(name)")
            }
        }
    }
}
