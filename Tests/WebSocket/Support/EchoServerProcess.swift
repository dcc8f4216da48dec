import Foundation
import TestSupport

@testable import WebSocket

/// A `websocket-echo` process on a free port, and clients that send raw bytes.
struct EchoServerProcess {
    private let process: ChildProcess
    let port: UInt16

    init() async throws {
        let log = FileManager.default.temporaryDirectory.path + "/websocket-echo-\(UUID().uuidString).log"
        process = try ChildProcess.product("websocket-echo", ["0"], log: log)
        try await process.written("/echo\n")
        let line = process.output
        let digits = line.split(separator: ":").last!.prefix { $0.isNumber }
        port = UInt16(digits)!
        try FileManager.default.removeItem(atPath: log)
    }

    func stop() async -> Int32 { await process.stop() }

    /// Sends a request and returns the head of its reply.
    func request(_ target: String, with fields: [String], method: String = "GET") throws -> (RawConnection, String) {
        let connection = try RawConnection(port: port)
        try connection.send(
            "\(method) \(target) HTTP/1.1\r\nHost: x\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
        return (connection, try connection.receive(until: "\r\n\r\n"))
    }

    /// An open WebSocket.
    func open(extensions: String? = nil) throws -> (connection: RawConnection, head: String) {
        var fields = Self.handshake
        if let extensions { fields.append("Sec-WebSocket-Extensions: \(extensions)") }
        let (connection, head) = try request("/echo", with: fields)
        guard head.hasPrefix("HTTP/1.1 101 ") else { throw TestFrame.Malformed(reason: head) }
        return (connection, head)
    }

    static let handshake = [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
}

extension RawConnection {
    func send(_ frames: TestFrame...) throws { try send(frames.flatMap { $0.bytes() }) }

    /// Reads the next frame, which must be a server's.
    func frame() throws -> TestFrame {
        var bytes = try receive(exactly: 2)
        let short = Int(bytes[1])
        var length = short
        if short >= 126 {
            let extended = try receive(exactly: short == 126 ? 2 : 8)
            length = extended.reduce(0) { $0 << 8 | Int($1) }
            bytes += extended
        }
        return try TestFrame.all(in: bytes + receive(exactly: length))[0]
    }
}
