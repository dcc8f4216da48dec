import EventLoop
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite struct ReplyAccountTests {
    /// Notes the bytes that wait, whenever they change.
    private final class Account: ReplyAccount {
        private let bytes = Atomic<Int>(0)
        private let journal = Journal<Int>()

        var waiting: Int { bytes.load(ordering: .sequentiallyConsistent) }

        func waitingBytesChanged(by bytes: Int) {
            journal.note(self.bytes.wrappingAdd(bytes, ordering: .sequentiallyConsistent).newValue)
        }

        /// Blocks until the number of bytes is as `isWanted` says.
        func wait(_ isWanted: (Int) -> Bool) throws { while try !isWanted(journal.next()) {} }
    }

    private static let size = 30_000_000

    private static func response(_ request: Request, _ account: Account) -> Response {
        let body: Response.Body
        switch request.pathText {
        case "/bytes": body = .bytes([UInt8](repeating: 65, count: size))
        case "/stream":
            body = .stream(length: size) { writer in
                for _ in 0..<(size / 10_000) { try await writer.write([UInt8](repeating: 65, count: 10_000)) }
            }
        default: return Response(body: .bytes([65]))
        }
        var response = Response(body: body)
        response.account = account
        return response
    }

    @Test(
        "An account pays for the bytes that a slow client leaves, until it has taken them",
        arguments: ["/bytes", "/stream"])
    func taken(_ path: String) async throws {
        let account = Account()
        try await withServer {
            Self.response($0, account)
        } body: { running in
            let client = try running.client()
            try client.get(path)
            try account.wait { $0 > 0 }
            // A stream waits for its client; a reply of bytes is in memory as a whole.
            #expect(path == "/bytes" || account.waiting < 200_000)
            #expect(try client.reply().body.count == Self.size)
            try account.wait { $0 == 0 }
            try client.get("/small")
            #expect(try client.reply().body == [65])
            #expect(account.waiting == 0)
        }
    }

    @Test(
        "An account pays nothing for a client that has gone", arguments: ["/bytes", "/stream"])
    func gone(_ path: String) async throws {
        let account = Account()
        try await withServer {
            Self.response($0, account)
        } body: { running in
            var client: Client? = try running.client()
            try client?.get(path)
            try account.wait { $0 > 0 }
            client = nil
            try account.wait { $0 == 0 }
        }
    }
}
