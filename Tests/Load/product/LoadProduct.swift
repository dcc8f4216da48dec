import EventLoop
import LoadClient
import TestSupport

/// `deploy/load product`: a mix of user actions against the whole product, at rising rates until it is overloaded.
@main
struct LoadProduct: MeasuringProgram {
    static func measure() async throws {
        guard let options = try LoadOptions(CommandLine.arguments.dropFirst()) else { return print(LoadOptions.help) }
        try await ProductInstance.start().lent { product in try await run(options, product) }
    }

    private static func run(_ options: LoadOptions, _ product: ProductInstance) async throws {
        let population = try await Population.create(options, in: product)
        print("\(population.people.count) users in \(population.people.count / Population.size) workspaces")
        var account: DeletedAccount?
        if let messages = options.deletion {
            account = try await DeletedAccount.create(messages: messages, in: product)
            print("the account to delete has \(messages) messages in \(DeletedAccount.rooms) rooms")
        }
        let group = EventLoopGroup(count: 1)
        let meters = try product.meters()
        let result = try await group.loops[0].run { [account] in
            try await Measurement(options, product, population, meters, deleting: account, on: group.loops[0]).run()
        }
        if let path = options.json { try result.write(to: path) }
        if !options.measuresCosts { try result.verdict().settle() }
    }
}
