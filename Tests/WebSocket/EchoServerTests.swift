import TestSupport
import Testing

@testable import WebSocket

@Suite("websocket-echo over TCP", .timeLimit(.minutes(10)))
struct EchoServerTests {
    @Test("It echoes, answers a close, ends the connection first, and stops on SIGTERM")
    func session() async throws {
        let server = try await EchoServerProcess()
        let (client, head) = try server.open()
        #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(!head.contains("Extensions"))
        for frame in [TestFrame.text("마루"), .binary([0, 1, 2]), .text("")] {
            try client.send(frame)
            #expect(try client.frame() == frame)
        }
        try client.send(.text("last"), .close(4321), .ping())
        #expect(try client.frame() == .text("last"))
        #expect(try client.frame() == .close(4321))
        #expect(try client.receive() == [])
        #expect(await server.stop() == 0)
    }

    @Test("Frames that arrive together with the handshake are not lost")
    func earlyFrames() async throws {
        let server = try await EchoServerProcess()
        let connection = try RawConnection(port: server.port)
        let head = (["GET /echo HTTP/1.1", "Host: x"] + EchoServerProcess.handshake).joined(separator: "\r\n")
        try connection.send(Array((head + "\r\n\r\n").utf8) + TestFrame.text("early").bytes())
        _ = try connection.receive(until: "\r\n\r\n")
        #expect(try connection.frame() == .text("early"))
    }

    @Test("Invalid text is refused at once, while its message is incomplete")
    func failFast() async throws {
        let server = try await EchoServerProcess()
        let (client, _) = try server.open()
        try client.send(TestFrame(isFinal: false, opcode: 1, payload: [0x61, 0xF4]), .ping([9]))
        #expect(try client.frame() == .pong([9]))
        try client.send(.more([0x90]))
        let close = try client.frame()
        #expect(close.opcode == 8 && close.payload.prefix(2) == [0x03, 0xEF])
        #expect(try client.receive() == [])
    }

    @Test("16 MiB come back in one frame and in a thousand; a byte more gets 1009")
    func largest() async throws {
        let server = try await EchoServerProcess()
        let (client, _) = try server.open()
        let message = [UInt8](repeating: 0x61, count: 16 << 20)
        let frame = TestFrame(opcode: 1, payload: message)
        try client.send(frame)
        #expect(try client.frame() == frame)
        let part = Array(message[..<(16 << 10)])
        try client.send(TestFrame(isFinal: false, opcode: 1, payload: part))
        for number in 1..<1024 { try client.send(.more(part, final: number == 1023)) }
        #expect(try client.frame() == frame)
        try client.send(Array(TestFrame.binary(message + [0]).bytes()[..<14]))
        #expect(try client.frame().payload.prefix(2) == [0x03, 0xF1])
    }

    @Test(
        "Every offer of compression is answered, and 1,000 messages come back through it",
        arguments: [
            "permessage-deflate; client_no_context_takeover; client_max_window_bits",
            "permessage-deflate; client_no_context_takeover; client_max_window_bits; server_no_context_takeover",
            "permessage-deflate; client_max_window_bits; server_max_window_bits=8",
            "permessage-deflate; client_max_window_bits; server_max_window_bits=15",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=8",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=15",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=7, permessage-deflate",
        ])
    func deflate(offer: String) async throws {
        let server = try await EchoServerProcess()
        let (client, head) = try server.open(extensions: offer)
        let field = try #require(head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Extensions: ") })
        let agreed = field.dropFirst("Sec-WebSocket-Extensions: ".count)
        let forgets = agreed.contains("server_no_context_takeover")
        let bits = agreed.contains("server_max_window_bits=8") ? 8 : 15
        let ours = TestDeflate(keepsContext: !agreed.contains("client_no_context_takeover"))
        let theirs = TestDeflate(windowBits: bits, keepsContext: !forgets)
        let messages = (0..<1000).map { Array(#"{"id":\#($0),"name":"채널 \#($0 % 7)","tags":["a","b"]}"#.utf8) }
        // A hundred at a time: each wait for the server costs a slow machine more than the messages do.
        for start in stride(from: 0, to: messages.count, by: 100) {
            let some = messages[start..<start + 100]
            try client.send(some.flatMap { TestFrame(reserved: 4, opcode: 1, payload: ours.deflated($0)).bytes() })
            for message in some {
                let reply = try client.frame()
                try #require(reply.reserved == 4 && theirs.inflated(reply.payload) == message)
            }
        }
    }

    @Test("A request that is not a handshake is answered in HTTP")
    func refusals() async throws {
        let server = try await EchoServerProcess()
        let version8 = EchoServerProcess.handshake.map {
            $0 == "Sec-WebSocket-Version: 13" ? "Sec-WebSocket-Version: 8" : $0
        }
        for (target, fields, status) in [
            ("/echo", [], 400), ("/other", EchoServerProcess.handshake, 404), ("/echo", version8, 426),
        ] {
            let (_, head) = try server.request(target, with: fields)
            #expect(head.hasPrefix("HTTP/1.1 \(status) "))
            if status == 426 { #expect(head.contains("Sec-WebSocket-Version: 13\r\n")) }
        }
    }
}
