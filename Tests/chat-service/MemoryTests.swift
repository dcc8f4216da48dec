import Glibc
import ServiceSupport
import TestSupport
import Testing

@testable import chat_service

@Suite("Memory", .serialized)
struct MemoryTests {
    /// The growth of memory that a history may cause, in bytes. The history itself is many times longer.
    private static let limit = 16 << 20

    @Test(
        "A history is streamed: memory depends neither on its length, nor on its messages, nor on a slow reader",
        arguments: [(200_000, "repeat(' of some length', 15)"), (2000, "repeat('long', 7500)")])
    func history(_ messages: Int, _ content: String) async throws {
        try await ChatProcess().lent { try await Self.read($0, messages, content) }
    }

    private static func read(_ process: ChatProcess, _ messages: Int, _ content: String) async throws {
        try await process.database.database.run(
            sql: """
                insert into chat.room (kind, id, workspace, name, last_seq, last_at)
                    values (1, 7, 3, 'general', \(messages), 2 * \(messages));
                insert into chat.message (workspace, kind, room, seq, author, session, content, files, created_at)
                    select 3, 1, 7, n, n % 4 + 1, 1001, 'message ' || n || \(content), '{}', 2 * n
                    from generate_series(1, \(messages)) as n
                """)
        // Fills caches and pools.
        _ = try await HTTPCall.get(
            port: process.publicPort, "/v1/workspaces/3/channels/7/chats?after_seq=\(messages - messages / 200)",
            headers: process.headers(1))
        let before = process.anonymousBytes
        let (size, most) = try await onOwnThread { Result { try readSlowly(process) } }.get()
        #expect(size > 55 << 20)
        if !Sanitizer.isPresent {
            #expect(most - before < Self.limit, "\(before >> 20) MB before, \(most >> 20) MB at most")
        }
    }

    @Test("Five files of 10 MB in one message are streamed to the store without using memory")
    func upload() async throws {
        try await ChatProcess().lent { process in
            let file = Upload(name: "a.txt", bytes: [UInt8](repeating: 97, count: 10 << 20))
            // Fills caches and pools.
            for text in ["one", "two"] {
                _ = try await process.send(text, user: 1, clientID: text)
            }
            let before = process.anonymousBytes
            let most = try await onOwnThread {
                Result { try Self.send(Upload.form(Array(repeating: file, count: 5), []), into: process) }
            }.get()
            #expect(process.storedFiles.count == 5)
            if !Sanitizer.isPresent {
                #expect(most - before < Self.limit, "\(before >> 20) MB before, \(most >> 20) MB at most")
            }
        }
    }

    /// Sends a form to channel 7 and returns the peak memory of the process.
    private static func send(_ form: [UInt8], into process: ChatProcess) throws -> Int {
        let connection = try RawConnection(port: process.publicPort)
        let headers = process.headers(1).map { "\($0): \($1)\r\n" }.joined()
        try connection.send(
            "POST /v1/workspaces/3/channels/7/chats HTTP/1.1\r\nHost: a\r\n\(headers)Content-Length: \(form.count)\r\n"
                + "Content-Type: multipart/form-data; boundary=\(Upload.boundary)\r\n\r\n")
        var most = 0
        for start in stride(from: 0, to: form.count, by: 256 << 10) {
            try connection.send(Array(form[start...].prefix(256 << 10)))
            most = max(most, process.anonymousBytes)
        }
        let head = try connection.receive(until: "\r\n\r\n")
        guard head.hasPrefix("HTTP/1.1 201") else { throw NeverHappened(description: "a message: \(head)") }
        return max(most, process.anonymousBytes)
    }

    /// Reads the whole history, the first part slowly. Returns its size and the peak memory of the process.
    private static func readSlowly(_ process: ChatProcess) throws -> (size: Int, most: Int) {
        let connection = try RawConnection(port: process.publicPort)
        let headers = process.headers(1).map { "\($0): \($1)\r\n" }.joined()
        try connection.send("GET /v1/workspaces/3/channels/7/chats HTTP/1.1\r\nHost: a\r\n\(headers)\r\n")
        let head = try connection.receive(until: "\r\n\r\n")
        guard head.hasPrefix("HTTP/1.1 200") else { throw NeverHappened(description: "a history: \(head)") }
        var (size, most, chunks) = (0, 0, 0)
        while true {
            // `\r\n` is one character in Swift.
            let line = try connection.receive(until: "\r\n").dropLast()
            guard let length = Int(line, radix: 16) else {
                throw NeverHappened(description: "a chunk: \(line.prefix(80))")
            }
            most = max(most, process.anonymousBytes)
            let chunk = try connection.receive(exactly: length + 2)
            if length == 0 { return (size, most) }
            size += chunk.count - 2
            chunks += 1
            // A service without backpressure has buffered far ahead by now.
            if chunks == 5, !Sanitizer.isPresent { most = max(most, peakWhileIdle(process)) }
        }
    }

    /// Reads nothing until the memory of the process has stopped growing, and returns the peak.
    private static func peakWhileIdle(_ process: ChatProcess) -> Int {
        var (last, same) = (0, 0)
        while same < 50 {
            let now = process.anonymousBytes
            same = now > last ? 0 : same + 1
            last = max(last, now)
            usleep(10_000)
        }
        return last
    }
}
