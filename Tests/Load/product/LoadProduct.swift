import EventLoop
import LoadClient
import TestSupport

/// `deploy/load product`: what people do all day, against the whole product, at rates that rise until it breaks.
@main
struct LoadProduct: MeasuringProgram {
    static func measure() async throws {
        guard let options = try LoadOptions(CommandLine.arguments.dropFirst()) else { return print(LoadOptions.help) }
        try await ProductHouse.start().lent { house in try await run(options, house) }
    }

    private static func run(_ options: LoadOptions, _ house: ProductHouse) async throws {
        let town = try await Town.settle(options, in: house)
        print("\(town.people.count) people in \(town.people.count / Town.size) workspaces")
        let group = EventLoopGroup(count: 1)
        let meters = try house.meters()
        let result = try await group.loops[0].run {
            try await Measurement(options, house, town, meters, on: group.loops[0]).run()
        }
        if let path = options.json { try result.write(to: path) }
        try result.verdict().settle()
    }
}
