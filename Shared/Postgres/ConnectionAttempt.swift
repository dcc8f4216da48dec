internal import CPostgres
internal import EventLoop
internal import Wire

/// Opens one connection without blocking its loop: resolves the host, then polls libpq until the session is ready.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class ConnectionAttempt: @unchecked Sendable {
    typealias Completion = (Result<OpaquePointer, PostgresError>) -> Void

    private let configuration: PostgresConfiguration
    private unowned let loop: EventLoop
    private let blocking: BlockingPool
    private var completion: Completion?
    private var raw: OpaquePointer?
    private var watch: DescriptorWatch?
    private var timer: LoopTimer?

    init(_ configuration: PostgresConfiguration, on loop: EventLoop, blocking: BlockingPool) {
        self.configuration = configuration
        self.loop = loop
        self.blocking = blocking
    }

    /// Calls `completion` once, on the loop.
    func start(_ completion: @escaping Completion) {
        self.completion = completion
        timer = loop.schedule(after: configuration.connectTimeout) { [weak self] in
            self?.fail("no connection within \(self?.configuration.connectTimeout ?? .zero)")
        }
        do throws(PostgresError) {
            let settings = try sessionSettings()
            if settings.hostsToResolve.isEmpty { connect(settings) } else { resolve(settings) }
        } catch {
            finish(.failure(error))
        }
    }

    /// Abandons the attempt.
    func cancel() { finish(.failure(PostgresError(.closed, message: ""))) }

    private func sessionSettings() throws(PostgresError) -> ConnectionString {
        var settings = try ConnectionString(configuration.connectionString)
        settings.setDefault("application_name", configuration.applicationName)
        settings.setDefault("client_encoding", "UTF8")
        // Kerberos negotiation would block the loop.
        settings.setDefault("gssencmode", "disable")
        settings.setDefault("tcp_user_timeout", String(configuration.stallLimit.wholeMilliseconds))
        if let schema = configuration.schema { settings.addOption("search_path", schema) }
        settings.addOption("statement_timeout", String(configuration.statementTimeout.wholeMilliseconds))
        settings.addOption(
            "idle_in_transaction_session_timeout", String(configuration.idleInTransactionTimeout.wholeMilliseconds))
        return settings
    }

    private func resolve(_ settings: ConnectionString) {
        Task.immediate(executorPreference: loop) { [self, blocking] in
            var settings = settings
            do {
                var found: [(String, [SocketAddress])] = []
                for (host, port) in settings.hostsToResolve {
                    found.append((host, try await Resolver.resolve(host, port: port, on: blocking)))
                }
                settings.setAddresses(found)
                connect(settings)
            } catch {
                fail("\(error)")
            }
        }
    }

    private func connect(_ settings: ConnectionString) {
        guard completion != nil else { return }
        raw = settings.startConnecting()
        guard let raw, PQstatus(raw) != CONNECTION_BAD else { return fail(lastMessage) }
        PQsetNoticeProcessor(raw, { _, _ in }, nil)
        wait(for: .writable)
    }

    private func step() {
        // In each step libpq may close its descriptor and open another one.
        stopWatching()
        switch PQconnectPoll(raw) {
        case PGRES_POLLING_READING: wait(for: .readable)
        case PGRES_POLLING_WRITING: wait(for: .writable)
        case PGRES_POLLING_OK: established()
        default: fail(lastMessage)
        }
    }

    private func established() {
        guard PQsetnonblocking(raw, 1) == 0, PQenterPipelineMode(raw) == 1, let raw else { return fail(lastMessage) }
        self.raw = nil
        finish(.success(raw))
    }

    private func wait(for events: IOEvents) {
        watch = DescriptorWatch(PQsocket(raw), for: events, on: loop) { [unowned self] _ in step() }
        if watch == nil { fail("out of descriptors") }
    }

    private func stopWatching() {
        watch?.stop()
        watch = nil
    }

    private var lastMessage: String {
        String(cString: PQerrorMessage(raw)).split(separator: "\n").joined(separator: "; ")
    }

    private func fail(_ message: String) { finish(.failure(PostgresError(.unavailable, message: message))) }

    private func finish(_ result: Result<OpaquePointer, PostgresError>) {
        guard let completion else { return }
        self.completion = nil
        timer?.cancel()
        stopWatching()
        PQfinish(raw)
        raw = nil
        completion(result)
    }
}
