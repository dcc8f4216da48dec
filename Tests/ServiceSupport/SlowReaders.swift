internal import Glibc
internal import Synchronization
public import TestSupport

/// Clients that ask for a reply and then read only its first bytes.
public final class SlowReaders: Sendable {
    private let connections: [RawConnection]

    /// Bytes that the kernel takes for a reader.
    private static let receiveBuffer: Int32 = 4096
    private static let attempts = 10

    /// Sends one GET a connection, each after the service has begun to answer the one before.
    public init(of calls: [(path: String, headers: [(String, String)])], port: UInt16) async throws {
        connections = try await onOwnThread {
            Result {
                try calls.map { path, headers in
                    let lines = headers.map { "\($0): \($1)\r\n" }.joined()
                    var first = ""
                    for _ in 0..<Self.attempts {
                        let connection = try RawConnection(port: port, receiveBuffer: Self.receiveBuffer)
                        try connection.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(lines)\r\n")
                        first = String(decoding: try connection.receive(atMost: 12), as: UTF8.self)
                        if first == "HTTP/1.1 200" { return connection }
                        // On a busy machine the service sheds calls, and asks to repeat them in a second.
                        guard first == "HTTP/1.1 503" else { break }
                        Glibc.sleep(1)
                    }
                    throw NeverHappened(description: "a reply: \(first)")
                }
            }
        }.get()
    }

    /// The memory of a service before and while slow readers of all `calls` wait, in bytes. Prints both.
    public static func cost(
        of calls: [(path: String, headers: [(String, String)])], to process: ChildProcess, named name: String,
        publicPort: UInt16, internalPort: UInt16
    ) async throws -> (before: Int, after: Int) {
        // Fills caches and pools. On a busy machine a page of a list can meet its time-out, which ends the connection.
        for call in Dictionary(calls.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first }).values {
            try await eventually("a reply of \(call.path)") {
                (try? await HTTPCall.get(port: publicPort, call.path, headers: call.headers))?.status == 200
            }
        }
        let before = process.anonymousBytes
        let readers = try await SlowReaders(of: calls, port: publicPort)
        let last = Mutex(-1)
        try await eventually("waiting replies") {
            let waiting = try await waitingBytes(internalPort)
            return last.withLock { last in
                defer { last = waiting }
                return waiting > 0 && waiting == last
            }
        }
        let after = process.anonymousBytes
        let waiting = last.withLock(\.self) >> 10
        print(
            "\(calls.count) slow readers of \(name): RssAnon \(before >> 10) kB before, \(after >> 10) kB with them, of",
            "which \(waiting) kB wait for them")
        withExtendedLifetime(readers) {}
        return (before, after)
    }

    /// The bytes of replies that wait for slow clients, by the metrics of the service.
    public static func waitingBytes(_ internalPort: UInt16) async throws -> Int {
        let page = try await HTTPCall.get(port: internalPort, "/metrics").text
        let name = "maru_reply_waiting_bytes "
        let line = page.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Double($0.dropFirst(name.count)) }.map { Int($0) } ?? -1
    }
}
