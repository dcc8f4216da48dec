internal import EventLoop

extension RedisConnection {
    /// Connects and authenticates: AUTH, SELECT and CLIENT SETNAME as configured, then PING, which fails while the
    /// server loads its data.
    ///
    /// Call it on `loop`.
    static func open(
        _ configuration: RedisConfiguration, on loop: EventLoop, resolvingOn pool: BlockingPool
    ) async throws(RedisError) -> RedisConnection {
        var failure = RedisError.connectFailed("no address")
        for address in try await addresses(of: configuration.server, resolvingOn: pool) {
            do {
                let socket = try await StreamSocket.connect(
                    to: address, timeout: configuration.connectTimeout, on: loop)
                let connection = RedisConnection(socket, configuration)
                try await connection.authenticate()
                return connection
            } catch let error as RedisError {
                failure = error
            } catch {
                failure = .connectFailed("\(error)")
            }
        }
        throw failure
    }

    private static func addresses(
        of server: RedisConfiguration.Server, resolvingOn pool: BlockingPool
    ) async throws(RedisError) -> [SocketAddress] {
        switch server {
        case .unixPath(let path):
            guard let address = SocketAddress(unixPath: path) else { throw .connectFailed("path too long: \(path)") }
            return [address]
        case .host(let host, let port):
            do {
                return try await Resolver.resolve(host, port: port, on: pool)
            } catch {
                throw .connectFailed("\(error)")
            }
        }
    }

    private func authenticate() async throws(RedisError) {
        // All commands leave together; the outcome of the last one comes last.
        let errors = OpeningErrors()
        if let password = configuration.password {
            // A server's error may repeat the arguments of a command that it does not know, so only the code of the
            // error is kept.
            sendOpening("AUTH", (configuration.user.map { [$0] } ?? []) + [password]) {
                errors.add("AUTH", "\($0.code ?? "lost")")
            }
        }
        if configuration.database != 0 {
            sendOpening("SELECT", [configuration.database]) { errors.add("SELECT", "\($0)") }
        }
        if let name = configuration.clientName {
            sendOpening("CLIENT", ["SETNAME", name]) { errors.add("CLIENT SETNAME", "\($0)") }
        }
        await withUnsafeContinuation { (done: UnsafeContinuation<Void, Never>) in
            send(
                .ping, within: configuration.connectTimeout,
                .closure { outcome in
                    if case .failure(let error) = outcome { errors.add("PING", "\(error)") }
                    done.resume()
                })
        }
        guard let first = errors.first else { return }
        let error = RedisError.connectFailed(first)
        close(error)
        throw error
    }

    private func sendOpening(_ name: String, _ arguments: [any RedisArgument], onError: @escaping (RedisError) -> Void)
    {
        send(
            RedisCommand(name, arguments), within: configuration.connectTimeout,
            .closure { outcome in
                if case .failure(let error) = outcome { onError(error) }
            })
    }
}

/// The errors of the commands that open a connection.
private final class OpeningErrors {
    private(set) var first: String?

    func add(_ command: StaticString, _ reason: String) {
        if first == nil { first = "\(command): \(reason)" }
    }
}
