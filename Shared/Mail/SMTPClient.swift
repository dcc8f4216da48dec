internal import CCurl
internal import EventLoop
internal import Synchronization

/// Sends mails to one SMTP server with libcurl, each on a connection and a thread of its own.
///
/// Mails are few, so the threads of a small pool may wait for the server; the event loops never do.
public final class SMTPClient: MailTransport {
    private let server: SMTPServer
    private let pool: BlockingPool
    private let isClosed = Atomic<Bool>(false)

    private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// - Parameter connections: the most mails at a time; up to 64 further ones wait.
    public init(_ server: SMTPServer, connections: Int = 2) {
        precondition(Self.isReady, "libcurl does not start")
        self.server = server
        pool = BlockingPool(threads: connections, limit: 64, name: "mail")
    }

    deinit { close() }

    public func send(_ message: MailMessage) async throws(MailFailure) {
        let result = try? await pool.run { [self] in
            guard !isClosed.load(ordering: .relaxed) else {
                return Result<Void, MailFailure>.failure(.unavailable(code: 0, reason: "closed"))
            }
            return SMTPTransfer(message, to: server, isCancelled: { [self] in isClosed.load(ordering: .relaxed) }).run()
        }
        guard let result else { throw .unavailable(code: 0, reason: "too many mails wait") }
        try result.get()
    }

    /// Ends running transfers within about a second.
    public func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        pool.stop()
    }
}
