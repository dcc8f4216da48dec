import EventLoop
import LoadClient
import TestSupport

/// `deploy/load product`: a mix of user actions against the whole product, at rising rates until it is overloaded. With `--day` as
/// the first argument it is `deploy/simulate`: a working day, hour by hour.
@main
struct LoadProduct: MeasuringProgram {
    static func measure() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--day" {
            guard let options = try DayOptions(arguments.dropFirst()) else { return print(DayOptions.help) }
            return try await ProductInstance.start().lent { product in try await run(options, product) }
        }
        guard let options = try LoadOptions(arguments) else { return print(LoadOptions.help) }
        try await ProductInstance.start().lent { product in try await run(options, product) }
    }

    private static func run(_ options: LoadOptions, _ product: ProductInstance) async throws {
        let population = try await populate(max(options.users, options.idle), product)
        var account: DeletedAccount?
        if let messages = options.deletion {
            account = try await DeletedAccount.create(messages: messages, in: product)
            print("the account to delete has \(messages) messages in \(DeletedAccount.rooms) rooms")
        }
        let group = EventLoopGroup(count: 1)
        let result = try await group.loops[0].run { [account] in
            try await Measurement(options, product, population, deleting: account, on: group.loops[0]).run()
        }
        if let path = options.json { try result.write(to: path) }
        if !options.measuresCosts { try result.verdict().settle() }
    }

    private static func run(_ options: DayOptions, _ product: ProductInstance) async throws {
        let population = try await populate(options.share, product)
        let group = EventLoopGroup(count: 1)
        let table = try await group.loops[0].run {
            try await DaySimulation(options, product, population, on: group.loops[0]).run()
        }
        if let path = options.json { try table.write(to: path) }
        try table.verdict().settle()
    }

    private static func populate(_ people: Int, _ product: ProductInstance) async throws -> Population {
        let population = try await Population.create(people, in: product)
        print("\(population.people.count) users in \(population.people.count / Population.size) workspaces")
        return population
    }
}
