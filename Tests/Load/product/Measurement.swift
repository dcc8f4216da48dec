import EventLoop
import LoadClient
import TestSupport

/// Runs the steps and measures the cost of each process.
///
/// - Note: Loop-local.
final class Measurement {
    private let options: LoadOptions
    private let product: ProductInstance
    private let population: Population
    private let meters: [(name: String, meter: ProcessMeter)]
    private let loop: EventLoop
    /// The account that is deleted, if the options ask for one.
    private let account: DeletedAccount?
    private let sockets: IdleSockets
    private var owners: [ObjectIdentifier: Population.Person] = [:]

    init(
        _ options: LoadOptions, _ product: ProductInstance, _ population: Population,
        _ meters: [(name: String, meter: ProcessMeter)], deleting account: DeletedAccount?,
        on loop: EventLoop
    ) {
        self.options = options
        self.product = product
        self.population = population
        self.meters = meters
        self.loop = loop
        self.account = account
        sockets = IdleSockets(on: loop)
    }

    func run() async throws -> LoadResult {
        guard let address = SocketAddress(ip: "127.0.0.1", port: product.port) else {
            preconditionFailure("the loopback address is valid")
        }
        // Each active user has their own keep-alive connection.
        var connections: [LoadConnection] = []
        for person in population.people.prefix(options.users) {
            let connection = try await LoadConnection.open(address, on: loop)
            owners[ObjectIdentifier(connection)] = person
            connections.append(connection)
        }
        let run = LoadRun(on: loop, connections)
        // Warm-up: home screens fill the caches.
        _ = await run.open(rate: Double(options.users) / 5, for: .seconds(10)) { [self] connection, _, end in
            perform(.home(of: owner(of: connection)), on: connection, Samples(), end)
        }
        try await sockets.open(population.people.prefix(options.idle), at: address)
        print("\(sockets.count) sockets are open")
        var result = LoadResult(options)
        var rate = Double(options.users) / Double(LoadOptions.pause)
        if !options.measuresCosts { LoadResult.Step.printHead(meters.map(\.name)) }
        if options.measuresCosts {
            result.costs = try await costs(run)
            result.costs?.printRows()
        } else if let account {
            try await measure(account, at: rate, run, address, &result)
        } else {
            await raise(&rate, run, &result)
        }
        for connection in connections { connection.close() }
        sockets.close()
        return result
    }

    /// Steps at rising rates until the product is overloaded.
    private func raise(_ rate: inout Double, _ run: LoadRun, _ result: inout LoadResult) async {
        for _ in 0..<options.steps {
            let step = await step(rate, run)
            step.printRow()
            result.steps.append(step)
            if step.isOverloaded(at: options.limit) { break }
            rate *= 1.5
        }
    }

    /// Steps at one rate before, during and after the deletion of an account.
    private func measure(
        _ account: DeletedAccount, at rate: Double, _ run: LoadRun, _ address: SocketAddress, _ result: inout LoadResult
    ) async throws {
        let connection = try await LoadConnection.open(address, on: loop)
        defer { connection.close() }
        var status = 0
        for name in ["before", "during", "after"] {
            if name == "during" { connection.send(account.deletion) { status = $0.status } }
            if name == "after" { print("    waiting for the end of the erasure") }
            let erasureTime = name == "after" ? try await account.erasureTime(in: product) : nil
            print(name)
            let step = await step(rate, run)
            step.printRow()
            result.steps.append(step)
            guard name == "after" else { continue }
            result.deletion = LoadResult.Deletion(
                status: status, erasureTime: erasureTime,
                messagesLeft: try await account.messagesLeft(in: product))
        }
    }

    /// Nothing for a while, then calls that read alone.
    private func costs(_ run: LoadRun) async throws -> LoadResult.Costs {
        let parts = meters.filter { $0.name != "client" }
        func spent() -> [Double] { parts.map { Double($0.meter.processorTime) / 1000 } }
        func growth(since before: [Double]) -> [Double] { zip(spent(), before).map { $0 - $1 } }
        let quiet = spent()
        try await loop.sleep(for: .seconds(options.seconds))
        let idle = growth(since: quiet).map { $0 / Double(options.seconds) }
        let samples = Samples()
        let busy = spent()
        let outcome = await run.open(rate: Double(options.users) / 2, for: .seconds(options.seconds)) {
            [self] connection, number, end in
            perform(.read(by: owner(of: connection), number), on: connection, samples, end)
        }
        let failures = outcome.failures
        guard failures.isEmpty else { throw NeverHappened(description: "calls without failures: \(failures)") }
        let costs = zip(growth(since: busy), idle).map { ($0 - $1 * outcome.seconds) / Double(max(1, samples.count)) }
        let backends = try await product.sql(
            "auth", "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
        )
        let memory = backends.split(separator: "\n").compactMap { Int32($0) }.map {
            ProcessMeter(pid: $0).anonymousBytes
        }
        return LoadResult.Costs(
            read: costs.reduce(0, +), parts: zip(parts, costs).map { ($0.name, $1) },
            connectionBytes: memory.reduce(0, +) / max(1, memory.count), connections: memory.count)
    }

    private func owner(of connection: LoadConnection) -> Population.Person {
        guard let owner = owners[ObjectIdentifier(connection)] else {
            preconditionFailure("each connection has an owner")
        }
        return owner
    }

    private func step(_ rate: Double, _ run: LoadRun) async -> LoadResult.Step {
        let samples = Samples()
        let received = sockets.received
        let before = meters.map { $0.meter.processorTime }
        let outcome = await run.open(rate: rate, for: .seconds(options.seconds)) { [self] connection, number, end in
            perform(.any(of: owner(of: connection), number), on: connection, samples, end)
        }
        let parts = zip(meters, before).map { part, before in
            LoadResult.Part(
                name: part.name, processor: Double(part.meter.processorTime &- before) / 1e9 / outcome.seconds,
                anonymousBytes: part.meter.anonymousBytes)
        }
        return LoadResult.Step(
            rate: rate, outcome: outcome, samples: samples, events: sockets.received - received, sockets: sockets.count,
            parts: parts)
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
