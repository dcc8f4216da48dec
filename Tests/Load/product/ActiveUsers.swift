import EventLoop
import LoadClient

/// People acting through the API gateway, each on a keep-alive connection of their own.
///
/// - Note: Loop-local.
final class ActiveUsers {
    private let loop: EventLoop
    private let connections: [LoadConnection]
    private let owners: [ObjectIdentifier: Population.Person]
    private let run: LoadRun

    private init(_ connections: [LoadConnection], _ owners: [ObjectIdentifier: Population.Person], on loop: EventLoop) {
        self.connections = connections
        self.owners = owners
        self.loop = loop
        run = LoadRun(on: loop, connections)
    }

    /// Opens a connection for each of the people.
    static func open(
        _ people: some Sequence<Population.Person>, at address: SocketAddress, on loop: EventLoop
    ) async throws -> ActiveUsers {
        var connections: [LoadConnection] = []
        var owners: [ObjectIdentifier: Population.Person] = [:]
        for person in people {
            let connection = try await LoadConnection.open(address, on: loop)
            owners[ObjectIdentifier(connection)] = person
            connections.append(connection)
        }
        return ActiveUsers(connections, owners, on: loop)
    }

    func close() { for connection in connections { connection.close() } }

    /// Starts actions of random people at a rate, and returns when the last one has ended.
    func act(
        rate: Double, for duration: Duration, _ samples: Samples,
        _ action: @escaping (Population.Person, _ number: Int) -> Action
    ) async -> LoadOutcome {
        await run.open(rate: rate, for: duration) { [self] connection, number, end in
            guard let owner = owners[ObjectIdentifier(connection)] else {
                preconditionFailure("each connection has an owner")
            }
            perform(action(owner, number), on: connection, samples, end)
        }
    }

    /// Makes the calls of an action one after the other. Calls `end` with the first failure, or nil.
    private func perform(
        _ action: Action, on connection: LoadConnection, _ samples: Samples, _ end: @escaping (String?) -> Void
    ) {
        let loop = loop
        func call(_ index: Int, after previous: [UInt8]) {
            guard index < action.calls.count else { return end(nil) }
            let each = action.calls[index]
            let began = loop.now
            connection.send(each.request(previous)) { reply in
                guard (200..<300).contains(reply.status) else { return end("\(each.name) \(reply.status)") }
                samples.add(each.name, loop.now - began)
                call(index + 1, after: reply.body)
            }
        }
        call(0, after: [])
    }
}
