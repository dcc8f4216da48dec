import Foundation
import LoadClient
import TestSupport

/// Compares Maru's JSON with Foundation's, on a chat message.
///
/// The addresses of its memory make one process up to 20 % slower at reading than another, for its whole life. So this
/// measures in several processes and prints the medians.
@main
struct BenchJSON: MeasuringProgram {
    private static let processes = 7
    private static let leastRatio = 8.0
    private static let alone = "--alone"

    static func measure() async throws {
        if CommandLine.arguments.contains(alone) {
            return FileHandle.standardOutput.write(try JSONEncoder().encode(Cost.measured()))
        }
        let folder = TemporaryFolder("bench-json")
        var costs: [Cost] = []
        for number in 0..<processes {
            costs.append(try await costInAnotherProcess(noting: folder.path + "/\(number)"))
        }
        let cost = Cost.median(of: costs)
        var verdicts = Verdicts()
        for (name, pair, ratios) in [
            ("encode", cost.write, costs.map(\.write.ratio)), ("decode", cost.read, costs.map(\.read.ratio)),
        ] {
            print(
                "\(name): \(Int(pair.ours)) ns, Foundation \(Int(pair.theirs)) ns; ratios of the processes: "
                    + ratios.sorted().map(tenths).joined(separator: " "))
            let ratio = ratios.sorted()[processes / 2]
            verdicts.add("\(name), median: \(tenths(ratio)), at least \(Int(leastRatio))", ratio >= leastRatio)
        }
        try verdicts.settle()
    }

    private static func costInAnotherProcess(noting log: String) async throws -> Cost {
        let process = try ChildProcess(CommandLine.arguments[0], [alone], log: log)
        _ = await process.wait()
        return try JSONDecoder().decode(Cost.self, from: Data(process.output.utf8))
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
