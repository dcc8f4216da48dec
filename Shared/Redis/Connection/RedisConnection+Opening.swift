internal import EventLoop

extension RedisConnection {
    /// Connects and enters: AUTH, SELECT and CLIENT SETNAME as configured, then PING,
    /// which fails while the server loads.
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
                try await connection.enter()
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
            guard let address = SocketAddress(unixPath: path) else { throw .connectFailed("too long a path: \(path)") }
            return [address]
        case .host(let host, let port):
            do {
                return try await Resolver.resolve(host, port: port, on: pool)
            } catch {
                throw .connectFailed("\(error)")
            }
        }
    }

    private func enter() async throws(RedisError) {
        // All leave together; the outcome of the last is told last.
        let refusals = Refusals()
        if let password = configuration.password {
            // The server may repeat the arguments of a command that it does not know:
            // only the code of its refusal is kept.
            ask("AUTH", (configuration.user.map { [$0] } ?? []) + [password]) {
                refusals.add("AUTH", "\($0.code ?? "lost")")
            }
        }
        if configuration.database != 0 {
            ask("SELECT", [configuration.database]) { refusals.add("SELECT", "\($0)") }
        }
        if let name = configuration.clientName {
            ask("CLIENT", ["SETNAME", name]) { refusals.add("CLIENT SETNAME", "\($0)") }
        }
        await withUnsafeContinuation { (done: UnsafeContinuation<Void, Never>) in
            send(
                .ping, within: configuration.connectTimeout,
                .closure { outcome in
                    if case .failure(let error) = outcome { refusals.add("PING", "\(error)") }
                    done.resume()
                })
        }
        guard let first = refusals.first else { return }
        let error = RedisError.connectFailed(first)
        close(error)
        throw error
    }

    private func ask(_ name: String, _ arguments: [any RedisArgument], ifRefused: @escaping (RedisError) -> Void) {
        send(
            RedisCommand(name, arguments), within: configuration.connectTimeout,
            .closure { outcome in
                if case .failure(let error) = outcome { ifRefused(error) }
            })
    }
}

/// What the server refused while it was entered.
private final class Refusals {
    private(set) var first: String?

    func add(_ command: StaticString, _ reason: String) {
        if first == nil { first = "\(command): \(reason)" }
    }
}
