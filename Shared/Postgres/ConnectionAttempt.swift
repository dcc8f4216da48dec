internal import CPostgres
internal import EventLoop
internal import Wire

/// Opens one connection without blocking its loop: tries the hosts of a search in turn, each within its own time limit.
/// libpq can try several hosts itself, but without a time limit when it does not block: it would wait for a frozen host for ever.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop.
final class ConnectionAttempt: @unchecked Sendable {
    /// An established session, and the number of its host.
    typealias Session = (raw: OpaquePointer, host: Int)
    /// Receives the result and the findings about the hosts.
    typealias Completion = (Result<Session, PostgresError>, HostSearch) -> Void

    private let configuration: PostgresConfiguration
    private unowned let loop: EventLoop
    private let blocking: BlockingPool
    private var search: HostSearch
    private var current: HostSearch.Try?
    /// The settings for the further addresses of the current host. Each is tried within the time limit of a host.
    private var further: ArraySlice<ConnectionString> = []
    private var completion: Completion?
    private var raw: OpaquePointer?
    private var watch: DescriptorWatch?
    private var timer: LoopTimer?

    init(_ configuration: PostgresConfiguration, _ search: HostSearch, on loop: EventLoop, blocking: BlockingPool) {
        self.configuration = configuration
        self.search = search
        self.loop = loop
        self.blocking = blocking
    }

    /// Calls `completion` once, on the loop.
    func start(_ completion: @escaping Completion) {
        self.completion = completion
        tryNext()
    }

    /// Abandons the attempt.
    func cancel() { finish(.failure(PostgresError(.closed, message: ""))) }

    private func tryNext() {
        current = search.next()
        guard let current else { return finish(.failure(PostgresError(.unavailable, message: search.summary))) }
        startTimer()
        do throws(PostgresError) {
            let settings = try sessionSettings()
            let host = settings.hosts[min(current.host, settings.hosts.count - 1)]
            let single = settings.naming(host)
            if let name = host.nameToResolve { resolve(name, host.portNumber, single) } else { connect(single) }
        } catch {
            finish(.failure(error))
        }
    }

    private func startTimer() {
        let timeout = current?.timeout ?? .zero
        timer = loop.schedule(after: timeout) { [weak self] in
            guard let self else { return }
            // Before its name is resolved, nothing was asked of the host: the resolver is slow, or its threads are busy.
            fail("no connection within \(timeout)", isSilent: raw != nil)
        }
    }

    private func sessionSettings() throws(PostgresError) -> ConnectionString {
        var settings = try ConnectionString(configuration.connectionString)
        settings.setDefault("application_name", configuration.applicationName)
        settings.setDefault("client_encoding", "UTF8")
        // Kerberos negotiation would block the loop.
        settings.setDefault("gssencmode", "disable")
        settings.setDefault("target_session_attrs", ConnectionString.writable)
        settings.setDefault("tcp_user_timeout", String(configuration.stallLimit.wholeMilliseconds))
        // Seconds: the peer of an idle session is known to be lost after eleven.
        settings.setDefault("keepalives_idle", "5")
        settings.setDefault("keepalives_interval", "2")
        settings.setDefault("keepalives_count", "3")
        if let schema = configuration.schema { settings.addOption("search_path", schema) }
        settings.addOption("statement_timeout", String(configuration.statementTimeout.wholeMilliseconds))
        settings.addOption(
            "idle_in_transaction_session_timeout", String(configuration.idleInTransactionTimeout.wholeMilliseconds))
        // Without statistics of a table Postgres expects many rows from a short list of ids, and compiles a statement that runs
        // for less time than that takes.
        settings.addOption("jit", "off")
        for (name, value) in configuration.sessionSettings { settings.addOption(name, value) }
        return settings
    }

    private func resolve(_ name: String, _ port: UInt16, _ settings: ConnectionString) {
        let asked = current
        Task.immediate(executorPreference: loop) { [self, blocking] in
            let found: Result<[SocketAddress], any Error>
            do {
                found = .success(try await Resolver.resolve(name, port: port, on: blocking))
            } catch {
                found = .failure(error)
            }
            // The time limit may have passed meanwhile.
            guard completion != nil, current == asked else { return }
            switch found {
            case .success(let addresses):
                further = addresses.map { settings.at($0, of: name) }[...]
                if let first = further.popFirst() { connect(first) } else { fail("\(name) has no address") }
            case .failure(let error): fail("\(error)")
            }
        }
    }

    private func connect(_ settings: ConnectionString) {
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
        guard PQsetnonblocking(raw, 1) == 0, PQenterPipelineMode(raw) == 1, let raw, let current else {
            return fail(lastMessage)
        }
        self.raw = nil
        finish(.success((raw, current.host)))
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

    /// Continues with the next address or host.
    private func fail(_ message: String, isSilent: Bool = false) {
        guard completion != nil, let current else { return }
        search.failed(current.host, isSilent: isSilent, message)
        release()
        guard let next = further.popFirst() else { return tryNext() }
        startTimer()
        connect(next)
    }

    private func finish(_ result: Result<Session, PostgresError>) {
        guard let completion else { return }
        self.completion = nil
        release()
        completion(result, search)
    }

    private func release() {
        timer?.cancel()
        stopWatching()
        PQfinish(raw)
        raw = nil
    }
}
