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
    private let parts: PartMeters
    private let loop: EventLoop
    /// The account that is deleted, if the options ask for one.
    private let account: DeletedAccount?
    private let sockets: IdleSockets

    /// Seconds of a slice of a step beside a deletion.
    private static let slice = 5

    init(
        _ options: LoadOptions, _ product: ProductInstance, _ population: Population, deleting account: DeletedAccount?,
        on loop: EventLoop
    ) throws {
        self.options = options
        self.product = product
        self.population = population
        parts = PartMeters(try product.meters())
        self.loop = loop
        self.account = account
        sockets = IdleSockets(on: loop)
    }

    func run() async throws -> LoadResult {
        let address = product.address
        let users = try await ActiveUsers.open(population.people.prefix(options.users), at: address, on: loop)
        // Warm-up: home screens fill the caches.
        _ = await users.act(rate: Double(options.users) / 5, for: .seconds(10), Samples()) { person, _ in
            .home(of: person)
        }
        try await sockets.open(population.people.prefix(options.idle), at: address)
        print("\(sockets.count) sockets are open")
        var result = LoadResult(options)
        var rate = Double(options.users) / Double(LoadOptions.pause)
        if !options.measuresCosts { LoadResult.Step.printHead() }
        if options.measuresCosts {
            result.costs = try await costs(users)
            result.costs?.printRows()
        } else if let account {
            try await measure(account, at: rate, users, address, &result)
        } else {
            try await raise(&rate, users, &result)
        }
        users.close()
        sockets.close()
        return result
    }

    /// Steps at rising rates until the product is overloaded.
    private func raise(_ rate: inout Double, _ users: ActiveUsers, _ result: inout LoadResult) async throws {
        for _ in 0..<options.steps {
            let step = try await step(rate, users)
            step.printRow()
            result.steps.append(step)
            if step.isOverloaded(at: options.limit) { break }
            rate *= 1.5
        }
    }

    /// Steps at one rate before, during and after the deletion of an account, each in slices of five seconds. The second
    /// step lasts until the account is erased.
    private func measure(
        _ account: DeletedAccount, at rate: Double, _ users: ActiveUsers, _ address: SocketAddress,
        _ result: inout LoadResult
    ) async throws {
        let connection = try await LoadConnection.open(address, on: loop)
        defer { connection.close() }
        let slice = min(Self.slice, options.seconds)
        var (status, erasureTime) = (0, Double?.none)
        for name in ["before", "during", "after"] {
            print(name)
            if name == "during" { connection.send(account.deletion) { status = $0.status } }
            let step = try await step(rate, users, inSlicesOf: slice) { [self] slices in
                guard name == "during" else { return slices * slice >= options.seconds }
                erasureTime = try await account.erasureTime(in: product)
                return erasureTime != nil || slices * slice >= 2 * DeletedAccount.limit
            }
            step.printRow()
            result.steps.append(step)
        }
        result.deletion = LoadResult.Deletion(
            status: status, erasureTime: erasureTime, messagesLeft: try await account.messagesLeft(in: product))
    }

    /// Nothing for a while, then calls that read alone.
    private func costs(_ users: ActiveUsers) async throws -> LoadResult.Costs {
        let quiet = parts.read()
        try await loop.sleep(for: .seconds(options.seconds))
        let idle = parts.costs(since: quiet, seconds: Double(options.seconds))
        let (samples, busy) = (Samples(), parts.read())
        let outcome = await users.act(
            rate: Double(options.users) / 2, for: .seconds(options.seconds), samples
        ) { .read(by: $0, $1) }
        let failures = outcome.failures
        guard failures.isEmpty else { throw NeverHappened(description: "calls without failures: \(failures)") }
        let calls = Double(max(1, samples.count)) / outcome.seconds
        let costs = zip(parts.costs(since: busy, seconds: outcome.seconds), idle).map { part, idle in
            (name: part.name, read: (part.processor - idle.processor) * 1e6 / calls)
        }.filter { $0.name != "client" }
        let backends = try await product.sql(
            "auth", "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
        )
        let memory = backends.split(separator: "\n").compactMap { Int32($0) }.map {
            ProcessMeter(pid: $0).anonymousBytes
        }
        return LoadResult.Costs(
            read: costs.reduce(0) { $0 + $1.read }, parts: costs,
            connectionBytes: memory.reduce(0, +) / max(1, memory.count), connections: memory.count)
    }

    /// Actions at a rate, by default in one slice.
    ///
    /// - Parameters:
    ///   - seconds: the duration of a slice.
    ///   - isOver: whether no further slice follows this many.
    private func step(
        _ rate: Double, _ users: ActiveUsers, inSlicesOf seconds: Int? = nil,
        until isOver: (Int) async throws -> Bool = { _ in true }
    ) async throws -> LoadResult.Step {
        let seconds = seconds ?? options.seconds
        let samples = Samples()
        let received = sockets.received
        let reading = parts.read()
        var outcome = LoadOutcome()
        var sliceP99s: [Double] = []
        repeat {
            let slice = await users.act(rate: rate, for: .seconds(seconds), samples) { .any(of: $0, $1) }
            sliceP99s.append(slice.percentile(0.99))
            outcome.add(slice)
        } while !(try await isOver(sliceP99s.count))
        return LoadResult.Step(
            rate: rate, seconds: seconds * sliceP99s.count, outcome: outcome, sliceP99s: sliceP99s,
            samples: samples, events: sockets.received - received, sockets: sockets.count,
            parts: parts.costs(since: reading, seconds: outcome.seconds))
    }
}
