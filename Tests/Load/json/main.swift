import Foundation
import Wire

/// The CPU time that this thread has used, in nanoseconds.
func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Nanoseconds of CPU a call of `operation`, the mean of `count`.
func cost(of count: Int, _ operation: () throws -> Void) rethrows -> Double {
    let start = threadTime()
    for _ in 0..<count { try operation() }
    return (threadTime() - start) / Double(count)
}

func median(_ figures: [Double]) -> Double { figures.sorted()[figures.count / 2] }

func benchmark() throws {
    let message = ChatMessage.sample
    let encoder = JSONEncoder()
    let decoder = JSONDecoder()
    let bytes = JSONWriter.bytes(capacity: 1024) { message.write(to: &$0) }
    let data = Data(bytes)
    guard try decoder.decode(ChatMessage.self, from: data) == message,
        ChatMessage(try JSONValue(parsing: [UInt8](encoder.encode(message)))) == message
    else { fatalError("the two do not understand each other") }

    let rounds = 15
    var kept = 0
    var ours = (write: [Double](), read: [Double]())
    var theirs = ours
    for _ in 0..<rounds {
        ours.write.append(
            cost(of: 20_000) { kept &+= JSONWriter.bytes(capacity: 1024) { message.write(to: &$0) }.count })
        try theirs.write.append(cost(of: 2_000) { kept &+= try encoder.encode(message).count })
        try ours.read.append(cost(of: 20_000) { kept &+= ChatMessage(try JSONValue(parsing: bytes))?.files.count ?? 0 })
        try theirs.read.append(
            cost(of: 2_000) { kept &+= try decoder.decode(ChatMessage.self, from: data).files.count })
    }

    print("A chat message of \(bytes.count) bytes; CPU an operation, median of \(rounds) rounds")
    for (name, mine, others) in [("encode", ours.write, theirs.write), ("decode", ours.read, theirs.read)] {
        let (mine, others) = (median(mine), median(others))
        print(
            String(
                format: "%@  Maru %7.0f ns   Foundation %7.0f ns   ratio %5.1f", name, mine, others, others / mine))
    }
    if kept == 0 { print("nothing was done") }
}

try benchmark()
