import EventLoop
import HTTP
import TestSupport

/// A client on loops of its own, stopped when the test ends.
final class ClientFixture: Sendable {
    let group: EventLoopGroup
    let client: HTTPClient

    init(loops: Int = 1, _ configure: (inout HTTPClient.Configuration) -> Void = { _ in }) {
        var configuration = HTTPClient.Configuration()
        configuration.connectTimeout = .seconds(20).patiently
        configure(&configuration)
        group = EventLoopGroup(count: loops)
        client = HTTPClient(on: group, configuration: configuration)
    }

    deinit {
        client.close()
        group.stop()
    }

    /// Sends on the first loop.
    func send(_ request: HTTPClient.Request) async throws -> HTTPClient.Reply {
        let client = client
        return try await group.loops[0].run { try await client.send(request.patient) }
    }

    func get(_ url: String) async throws -> HTTPClient.Reply { try await send(.init(.get, url)) }

    /// The failure of a request; nil if it succeeds.
    func failure(of request: HTTPClient.Request) async -> HTTPClient.Failure? {
        do {
            _ = try await send(request)
            return nil
        } catch {
            return error as? HTTPClient.Failure
        }
    }

    func failure(of url: String) async -> HTTPClient.Failure? { await failure(of: .init(.get, url)) }

    /// Runs `body` this many times at once on the first loop, and collects the results.
    func concurrently<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (HTTPClient, Int) async throws -> Value
    ) async throws -> [Value] {
        let client = client
        return try await group.loops[0].run {
            try await withThrowingTaskGroup { tasks in
                for number in 0..<count { tasks.addTask { try await body(client, number) } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
        }
    }
}

extension HTTPClient.Request {
    /// This request, with a time limit that only a fault reaches unless it has one of its own.
    var patient: HTTPClient.Request {
        guard deadline == HTTPClient.Request(.get, "").deadline else { return self }
        var request = self
        request.deadline = .seconds(60).patiently
        return request
    }
}

extension HTTPClient.Reply {
    var text: String { String(decoding: body, as: UTF8.self) }
}
