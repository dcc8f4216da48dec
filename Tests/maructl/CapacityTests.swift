import ServiceKit
import Testing
import Wire

@testable import maructl

@Suite("The calculator of capacity")
struct CapacityTests {
    private func plan(_ line: String) throws -> CapacityPlan {
        let words = ("capacity " + line).split(separator: " ").map(String.init)
        guard case .run(let invocation) = try CommandLineParser(commands: CommandList.all).parse(words) else {
            throw UsageError("nothing")
        }
        return CapacityPlan(for: CapacityDemand(invocation.values))
    }

    private func amount(_ name: String, _ plan: CapacityPlan) throws -> Double {
        try #require(plan.needs.first { $0.name == name }).amount
    }

    @Test("Missing values are computed from the number of users")
    func defaults() {
        let demand = CapacityDemand(["users": "10000"])
        #expect((demand.sockets, demand.sends, demand.reads, demand.pushes) == (5_000, 10, 40, 50))
        let given = CapacityDemand(["users": "10000", "sockets": "7", "sends-per-second": "3", "reads-per-second": "9"])
        #expect((given.sockets, given.sends, given.reads, given.pushes) == (7, 3, 9, 15))
    }

    @Test("The cores are the times of all work, over the share that the busiest time may use")
    func cores() throws {
        let line =
            "--users 1 --sockets 10000 --sends-per-second 100 --readers 50 --reads-per-second 1000 --pushes-per-second 10"
        let micros =
            100 * 286.0 + 100 * 50 * 5.7 + 10_000 * 1 + 1_000 * CapacityFigures.read.value
            + 10 * CapacityFigures.push.value
        #expect(abs(try amount("cores", plan(line)) - micros / 1e6 / 0.6) < 1e-9)
        #expect(try amount("cores", plan(line)) == plan(line).needs[0].parts.map(\.amount).reduce(0, +))
    }

    @Test("Every instance and every socket costs memory, and shipped clients have smaller sockets than native ones")
    func memory() throws {
        let native = try amount("memory", plan("--users 1000 --sockets 100000"))
        let shipped = try amount("memory", plan("--users 1000 --sockets 100000 --clients shipped"))
        let difference = 100_000 * (CapacityFigures.meSocketMemory.value - CapacityFigures.socketMemory.value) * 2 / 1e9
        #expect(abs(native - shipped - difference) < 1e-9)
        #expect(try amount("memory", plan("--instances 4")) > amount("memory", plan("--instances 2")))
    }

    @Test("Postgres has the connections of each loop, and the gateway an instance for every 20,000 sockets")
    func connections() throws {
        // Ten instances with two loops of four connections, and one more for each loop of chat-service.
        #expect(try amount("connections to Postgres", plan("--sockets 100")) == 2 * (10 * 4 + 2))
        let large = try plan("--sockets 100001 --loops 4 --instances 3")
        #expect(try amount("instances of realtime-gateway", large) == 6)
        #expect(try amount("connections to Postgres", large) == 4 * ((12 + 6) * 4 + 3))
        #expect(try amount("open connections of nginx", large) == 200_002)
    }

    @Test("The disk of a year is that of the messages at their average rate, and of the files")
    func disk() throws {
        let plan = try plan("--sends-per-second 10 --files-per-day 100 --file-kilobytes 1000")
        let messages = 10 * 0.2 * 365 * 86_400 * CapacityFigures.messageDisk.value / 1e9
        #expect(abs(try amount("disk a year", plan) - messages - 36.5) < 1e-9)
    }

    @Test("The JSON has each need with its parts")
    func json() throws {
        let json = try JSONValue(parsing: plan("").json)
        #expect(
            json["needs"]?[0]?["name"]?.string == "cores" && json["needs"]?[0]?["parts"]?[0]?["name"]?.string == "sends"
        )
    }

    @Test("The page about capacity quotes every figure")
    func page() throws {
        let path = #filePath.replacing("Tests/maructl/CapacityTests.swift", with: "docs/capacity.md")
        let page = try #require(Config.textOfFile(path))
        for figure in CapacityFigures.all { #expect(page.contains("\n" + figure.row + "\n"), "\(figure.row)") }
    }

    @Test("Numbers have separators of thousands, and a decimal where they are small")
    func numbers() {
        let texts = [0, 5.7, 5.04, 99.96, 100.4, 1_234.5, 1_000_000].map { CapacityFigure.text($0) }
        #expect(texts == ["0", "5.7", "5", "100", "100", "1,235", "1,000,000"])
    }
}
