public import EventLoop

/// Redis, from any code on a loop: each loop has one connection, over which the commands
/// of all its tasks are pipelined.
///
/// While there is no connection, commands fail at once with `notConnected`: Redis is never the record, and whoever asks
/// it has a way without it. Every command is answered within its deadline.
public final class Redis: Sendable {
    let configuration: RedisConfiguration
    let group: EventLoopGroup
    let pool: BlockingPool
    private let links: LoopLocal<RedisLink>

    /// Begins to connect on each loop of `group`; host names are looked up on `pool`.
    public init(_ configuration: RedisConfiguration, on group: EventLoopGroup, resolvingOn pool: BlockingPool) {
        self.configuration = configuration
        self.group = group
        self.pool = pool
        links = LoopLocal(group) { RedisLink(configuration, on: $0, resolvingOn: pool) }
        links.forEach { $0.start() }
    }

    /// The connection that serves a command with this first key: the loop's only one. A cluster chooses here, by the
    /// key's hash slot.
    private func link(for key: RedisKey?) -> RedisLink { links.current }

    /// Whether the loop's connection is up.
    public var state: RedisState { links.current.state }

    /// Calls `observer` on every loop, at once and then whenever that loop's connection comes up or is lost.
    public func observe(_ observer: @escaping @Sendable (RedisState) -> Void) {
        links.forEach { link in
            link.observe { state in
                observer(state)
                return .goOn
            }
        }
    }

    /// Returns as soon as this loop's connection is up, at once when it is.
    ///
    /// - Throws: after `limit`, why there is none.
    public func connected(within limit: Duration) async throws(RedisError) {
        try await links.current.connected(within: limit)
    }

    /// Ends all connections for good; commands that wait fail with `closed`.
    public func close() { links.forEach { $0.close() } }

    // MARK: Commands

    /// Sends `command` and returns the reply; the loop's other commands go on meanwhile.
    ///
    /// - Parameter limit: how long to wait; `commandTimeout` of the configuration when nil.
    @discardableResult
    public func run(_ command: RedisCommand, within limit: Duration? = nil) async throws(RedisError) -> RedisValue {
        let link = link(for: command.key)
        let outcome = await withUnsafeContinuation { continuation in
            link.send(command, within: limit, .continuation(continuation))
        }
        return try outcome.get()
    }

    /// Sends all commands together and returns their outcomes in the same order; none waits for another. Where there may be
    /// more than a connection has room for, `run(inTurn:)` sends them.
    public func run(
        _ commands: [RedisCommand], within limit: Duration? = nil
    ) async -> [Result<RedisValue, RedisError>] {
        guard !commands.isEmpty else { return [] }
        return await withUnsafeContinuation { continuation in
            let gathering = Gathering(count: commands.count, continuation)
            for (place, command) in commands.enumerated() {
                link(for: command.key).send(command, within: limit, .closure { gathering.take($0, at: place) })
            }
        }
    }

    /// Sends `command` and does not wait; a failure is forgotten. For hints that the next one replaces.
    public func post(_ command: RedisCommand) {
        link(for: command.key).send(command, within: nil, .none)
    }
}

/// Gathers the outcomes of commands sent together.
private final class Gathering {
    private var outcomes: [Result<RedisValue, RedisError>?]
    private var missing: Int
    private let continuation: UnsafeContinuation<[Result<RedisValue, RedisError>], Never>

    init(count: Int, _ continuation: UnsafeContinuation<[Result<RedisValue, RedisError>], Never>) {
        outcomes = Array(repeating: nil, count: count)
        missing = count
        self.continuation = continuation
    }

    func take(_ outcome: Result<RedisValue, RedisError>, at place: Int) {
        outcomes[place] = outcome
        missing -= 1
        if missing == 0 { continuation.resume(returning: outcomes.compactMap(\.self)) }
    }
}
