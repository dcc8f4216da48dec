import EventLoop
import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct ServerTests {
    @Test("A request gets its handler's reply, and the connection is kept for the next one")
    func keepAlive() async throws {
        try await withServer { request in
            .json(Array("{\"path\":\"\(request.pathText)\"}".utf8))
        } body: { running in
            let client = try running.client()
            for path in ["/a", "/b?", "/c?x=1"] {
                try client.get(path)
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.text == "{\"path\":\"\(path.split(separator: "?")[0])\"}")
                #expect(reply["Content-Type"] == "application/json")
                #expect(reply["Date"]?.hasSuffix(" GMT") == true)
                #expect(reply["Connection"] == nil)
            }
        }
    }

    @Test("A handler sees the request as it was sent, not decoded")
    func asSent() async throws {
        try await withServer { request in
            let parts = [
                request.methodText, request.pathText, request.query.map { String(decoding: $0, as: UTF8.self) } ?? "-",
                String(decoding: request.host, as: UTF8.self), request.headers.text(.sesacKey) ?? "-",
                request.headers.all("X-Many").map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|"),
                request.peer?.host ?? "-",
            ]
            return Response(type: "text/plain", Array(parts.joined(separator: " ").utf8))
        } body: { running in
            let client = try running.client()
            try client.get("/v1/%EC%9D%BC%2Fx/..;?", "sesackey:  key \t", "X-Many: a", "X-MANY: b")
            #expect(try client.reply().text == "GET /v1/%EC%9D%BC%2Fx/..;  test key a|b 127.0.0.1")
            try client.send("BREW http://pot:80/a?b=c?d HTTP/1.1\r\nHost: POT:80\r\n\r\n")
            #expect(try client.reply().text == "BREW /a b=c?d POT:80 -  127.0.0.1")
            try client.send("GET http://pot HTTP/1.1\r\nHost: pot\r\n\r\n")
            #expect(try client.reply().text == "GET / - pot -  127.0.0.1")
            try client.send("OPTIONS * HTTP/1.1\r\nHost: pot\r\n\r\n")
            #expect(try client.reply().text == "OPTIONS * - pot -  127.0.0.1")
        }
    }

    @Test("An HTTP/1.0 connection closes unless the client asks to keep it")
    func version0() async throws {
        try await withServer { _ in
            .json([])
        } body: { running in
            let client = try running.client()
            try client.send("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            #expect(try client.reply()["Connection"] == "keep-alive")
            try client.send("GET / HTTP/1.0\r\n\r\n")
            let reply = try client.reply()
            #expect(reply["Connection"] == "close")
            #expect(try client.rest() == "")
        }
    }

    @Test("Connection: close is recognised in any list and case, and answered with Connection: close")
    func close() async throws {
        try await withServer { _ in
            .json([])
        } body: { running in
            let client = try running.client()
            try client.get("/", "Connection: te,  CLOSE")
            #expect(try client.reply()["Connection"] == "close")
            #expect(try client.rest() == "")
        }
    }

    @Test("HEAD gets the head of GET's reply without a body, and 204 and 304 have no Content-Length")
    func bodiless() async throws {
        try await withServer { request in
            switch request.pathText {
            case "/304": Response(.notModified)
            case "/204": Response(.noContent)
            case "/stream": Response(body: .stream(length: 5) { try await $0.write(Array("hello".utf8)) })
            default: .json(Array("{}".utf8))
            }
        } body: { running in
            let client = try running.client()
            for path in ["/", "/stream"] {
                try client.send("HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.reply(toHead: true)["Content-Length"] == (path == "/" ? "2" : "5"))
            }
            for path in ["/304", "/204"] {
                try client.get(path)
                #expect(try client.reply()["Content-Length"] == nil)
            }
            try client.get("/")
            #expect(try client.reply().text == "{}")
        }
    }

    @Test("Neither a value nor a name can add a line to a reply, and only the server writes framing fields")
    func injection() async throws {
        try await withServer { request in
            var response = Response(type: "text/plain", Array("ok".utf8))
            response.headers.append(.location, "/a\r\nSet-Cookie: evil=1\r\n\r\n<html>\u{0}")
            response.headers.append(.contentLength, "999")
            response.headers.append(.connection, "upgrade")
            response.headers.append("transfer-encoding", "chunked")
            return response
        } body: { running in
            let client = try running.client()
            try client.get("/")
            let reply = try client.reply()
            #expect(reply["Set-Cookie"] == nil && reply["Transfer-Encoding"] == nil && reply["Connection"] == nil)
            #expect(reply["Content-Length"] == "2" && reply.text == "ok")
            #expect(reply["Location"] == "/a  Set-Cookie: evil=1    <html> ")
        }
    }

    @Test("A handler's error becomes the refusal of its kind")
    func thrown() async throws {
        struct Failed: Error {}
        try await withServer { configuration in
            configuration.refuse = { refusal in
                if case .handlerFailed(let error) = refusal { #expect(error is Failed) }
                return Response(refusal.status, type: "text/plain", Array("refused".utf8))
            }
        } _: { request in
            if request.pathText == "/large" { throw BodyError.tooLarge }
            throw Failed()
        } body: { running in
            let client = try running.client()
            for (path, status) in [("/", 500), ("/large", 413), ("/", 500)] {
                try client.get(path)
                let reply = try client.reply()
                #expect(reply.status == status && reply.text == "refused")
            }
        }
    }
}
