import EventLoop
import HTTP
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@testable import ServiceKit

@Suite("Slow readers", .serialized)
struct SlowReaderTests {
    /// The largest number that a page has reached.
    private final class Progress: Sendable {
        private let last = Mutex(0)

        var value: Int { last.withLock(\.self) }

        func note(_ number: Int) { last.withLock { $0 = max($0, number) } }
    }

    private static let count = 24_000
    private static let text = String(repeating: "가", count: 300)

    private static func sample(_ settings: [String: String], _ progress: Progress) async throws -> SampleService {
        try await SampleService(settings) { builder in
            builder.publicRoutes { routes in
                routes.signedIn(.get, "/v1/numbers") { call, _ in
                    try await call.reply(
                        PagedList<Int, Int>(pageSize: 256) { after, limit in
                            let page = Array(((after ?? 0) + 1...count + 1).prefix(limit).filter { $0 <= count })
                            progress.note(page.last ?? 0)
                            return page
                        } key: {
                            $0
                        } write: { number, json in
                            json.value("\(number) \(text)")
                        })
                }
                routes.signedIn(.get, "/v1/broken") { call, _ in
                    try await call.reply(
                        PagedList<Int, Int>(pageSize: 256) { after, limit in
                            guard after == nil else { throw NeverHappened(description: "a second page") }
                            return Array(1...limit)
                        } key: {
                            $0
                        } write: { number, json in
                            json.value("\(number) \(text)")
                        })
                }
            }
        }
    }

    /// A connection that has sent a call and reads nothing.
    private static func stalled(_ sample: SampleService, user: Int64, _ path: String = "/v1/numbers") throws
        -> RawConnection
    {
        let connection = try RawConnection(port: sample.service.running.publicAddress.port)
        try connection.send(
            "GET \(path) HTTP/1.1\r\nHost: a\r\nSesacKey: sooda\r\nAuthorization: \(sample.token(user: user))\r\n"
                + "Connection: close\r\n\r\n")
        return connection
    }

    private static func waiting(_ sample: SampleService) async throws -> Int {
        let page = try await HTTPCall.get(port: sample.service.running.internalAddress.port, "/metrics").text
        let line = page.split(separator: "\n").first { $0.hasPrefix("maru_reply_waiting_bytes ") }
        return line.flatMap { Double($0.dropFirst("maru_reply_waiting_bytes ".count)) }.map { Int($0) } ?? -1
    }

    private static func get(_ sample: SampleService, user: Int64) async throws -> HTTPCall.Reply {
        try await sample.call(
            "GET", "/v1/things/5",
            [("SesacKey", "native"), ("Authorization", sample.token(user: user, profile: "native"))])
    }

    @Test("A user with unread replies gets E98 with Retry-After until they are read; other users are unaffected")
    func budget() async throws {
        let progress = Progress()
        let sample = try await Self.sample(["user_reply_bytes": "1"], progress)
        let reader = try Self.stalled(sample, user: 5)
        try await eventually("waiting replies") { try await Self.waiting(sample) > 0 }
        // The lists are not read ahead of their readers: the kernel holds up to ten megabytes of each.
        #expect(progress.value < Self.count * 3 / 4)
        let refused = try await Self.get(sample, user: 5)
        #expect(refused.status == 429 && refused.errorCode == "E98" && refused.headers["retry-after"] == "5")
        let other = try await Self.get(sample, user: 6)
        #expect(other.status == 200)

        let bytes = try await onOwnThread { Result { try reader.receiveToEnd() } }.get()
        #expect(bytes.firstRange(of: Array("Transfer-Encoding: chunked".utf8)) != nil)
        #expect(bytes.suffix(7).elementsEqual("\r\n0\r\n\r\n".utf8))
        // Every element, without the frames of the chunks between them.
        #expect(bytes.count > Self.count * Self.text.utf8.count)
        #expect(progress.value == Self.count)
        try await eventually("no waiting replies") { try await Self.waiting(sample) == 0 }
        let served = try await Self.get(sample, user: 5)
        #expect(served.status == 200)
        await sample.stop()
    }

    @Test(
        "Limits of the address and the process hold for all users", arguments: ["address_reply_bytes", "reply_bytes"])
    func shared(_ setting: String) async throws {
        let sample = try await Self.sample([setting: "1"], Progress())
        let reader = try Self.stalled(sample, user: 1)
        try await eventually("waiting replies") { try await Self.waiting(sample) > 0 }
        let refused = try await Self.get(sample, user: 9)
        #expect(refused.errorCode == "E98")
        withExtendedLifetime(reader) {}
        await sample.stop()
    }

    @Test("A list that fails after its first bytes ends the connection without a valid end")
    func broken() async throws {
        let sample = try await Self.sample([:], Progress())
        let reader = try Self.stalled(sample, user: 5, "/v1/broken")
        let bytes = try await onOwnThread { Result { try reader.receiveToEnd() } }.get()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200") && !text.hasSuffix("0\r\n\r\n"))
        await sample.stop()
    }
}
