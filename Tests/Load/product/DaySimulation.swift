import EventLoop
import LoadClient
import TestSupport

/// Plays a working day on the people that one machine has, hour by hour.
///
/// - Note: Loop-local.
final class DaySimulation {
    private let options: DayOptions
    private let product: ProductInstance
    private let people: [Population.Person]
    private let parts: PartMeters
    private let loop: EventLoop
    private let sockets: DaySockets

    /// Actions for each message that a person writes: of a hundred actions of `Action.any`, a quarter write a message, and of the
    /// quarter that is native a quarter do.
    static let actionsPerMessage = 3.2

    init(_ options: DayOptions, _ product: ProductInstance, _ population: Population, on loop: EventLoop) throws {
        self.options = options
        self.product = product
        people = Array(population.people.prefix(options.share))
        parts = PartMeters(try product.meters())
        self.loop = loop
        sockets = DaySockets(people, at: product.address, on: loop)
    }

    func run() async throws -> DayTable {
        var table = DayTable(options)
        let before = try await product.stored()
        table.printHead()
        for hour in WorkingDay(options.hours).hours { table.add(try await play(hour)) }
        let after = try await product.stored()
        table.messages = after.messages - before.messages
        table.bytes = after.bytes - before.bytes
        sockets.end()
        return table
    }

    private func play(_ hour: WorkingDay.Hour) async throws -> DayTable.Row {
        try await sockets.set(max(1, Int((Double(people.count) * hour.online).rounded())))
        let users = try await ActiveUsers.open(sockets.online.values, at: product.address, on: loop)
        defer { users.close() }
        let actions = Double(people.count * options.messages) * Self.actionsPerMessage * hour.share
        let samples = Samples()
        let (deliveries, commits, reading) = (sockets.deliveries, try await product.commits(), parts.read())
        let outcome = await users.act(rate: actions / options.hour, for: .seconds(options.hour), samples) {
            .any(of: $0, $1)
        }
        let costs = parts.costs(since: reading, seconds: outcome.seconds)
        return DayTable.Row(
            hour: hour.number, online: sockets.online.count, outcome: outcome, calls: samples.count,
            deliveries: sockets.deliveries - deliveries, commits: try await product.commits() - commits,
            lost: sockets.lost,
            parts: costs.filter { $0.name != "client" })
    }
}

extension ProductInstance {
    /// The transactions that Postgres committed since its start.
    fileprivate func commits() async throws -> Int {
        try await number("select sum(xact_commit)::bigint from pg_stat_database")
    }

    /// The messages of all rooms, and the bytes of all schemas.
    fileprivate func stored() async throws -> (messages: Int, bytes: Int) {
        (
            try await number("select coalesce(sum(last_seq), 0)::bigint from room"),
            try await number("select pg_database_size(current_database())")
        )
    }

    private func number(_ query: String) async throws -> Int {
        let output = try await sql("chat", query)
        guard let number = Int(output.prefix { $0.isNumber }) else {
            throw NeverHappened(description: "a number for \(query): \(output)")
        }
        return number
    }
}
