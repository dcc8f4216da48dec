import Foundation
import Wire

/// The cost of writing and reading the message with both libraries, in nanoseconds of CPU for each operation.
struct Cost: Codable {
    var write: Pair
    var read: Pair

    struct Pair: Codable {
        var ours: Double
        var theirs: Double

        var ratio: Double { theirs / ours }
    }

    private static let rounds = 15

    /// The medians of several rounds in this process.
    static func measured() throws -> Cost {
        let message = ChatMessage.sample
        let encoder = JSONEncoder()
        let decoder = JSONDecoder()
        let bytes = JSONWriter.bytes(capacity: 1024) { message.write(to: &$0) }
        let data = Data(bytes)
        guard try decoder.decode(ChatMessage.self, from: data) == message,
            ChatMessage(try JSONValue(parsing: [UInt8](encoder.encode(message)))) == message
        else { fatalError("the two libraries do not read each other's JSON") }

        var kept = 0
        var costs: [Cost] = []
        for _ in 0..<rounds {
            let write = Pair(
                ours: cost(of: 20_000) { kept &+= JSONWriter.bytes(capacity: 1024) { message.write(to: &$0) }.count },
                theirs: try cost(of: 2_000) { kept &+= try encoder.encode(message).count })
            let read = Pair(
                ours: try cost(of: 20_000) { kept &+= ChatMessage(try JSONValue(parsing: bytes))?.files.count ?? 0 },
                theirs: try cost(of: 2_000) { kept &+= try decoder.decode(ChatMessage.self, from: data).files.count })
            costs.append(Cost(write: write, read: read))
        }
        precondition(kept > 0, "no operation was performed")
        return median(of: costs)
    }

    /// The median of each figure.
    static func median(of costs: [Cost]) -> Cost {
        func middle(_ figure: (Cost) -> Double) -> Double { costs.map(figure).sorted()[costs.count / 2] }
        return Cost(
            write: Pair(ours: middle(\.write.ours), theirs: middle(\.write.theirs)),
            read: Pair(ours: middle(\.read.ours), theirs: middle(\.read.theirs)))
    }

    /// Nanoseconds of CPU for a call of `operation`, the mean of `count` calls.
    private static func cost(of count: Int, _ operation: () throws -> Void) rethrows -> Double {
        let start = threadTime()
        for _ in 0..<count { try operation() }
        return (threadTime() - start) / Double(count)
    }

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
