import EventLoop
import Testing

@testable import HTTP

@Suite struct ServerTests {
    @Test("A request gets its handler's reply, and the connection stays for the next one")
    func keepAlive() async throws {
        try await withServer { request in
            .json(Array("{\"path\":\"\(String(decoding: request.path, as: UTF8.self))\"}".utf8))
        } _: { running in
            let client = try running.client()
            for path in ["/a", "/b?", "/c?x=1"] {
                client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.text == "{\"path\":\"\(path.split(separator: "?")[0])\"}")
                #expect(reply["Content-Type"] == "application/json")
            }
        }
    }

    @Test("A body reaches the handler whole, however it is cut and whether its length or chunks tell its end")
    func bodies() async throws {
        try await withServer { request in
            Response(type: "text/plain", try await request.body.collect(upTo: 1_000_000))
        } _: { running in
            let client = try running.client()
            let body = String(repeating: "0123456789", count: 30_000)
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
            client.send(body)
            #expect(try client.reply().text == body)
            client.send(
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n5;a=b\r\npedia\r\n0\r\nX: y\r\n\r\n"
            )
            #expect(try client.reply().text == "wikipedia")
        }
    }
}
