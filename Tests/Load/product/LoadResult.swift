import Glibc
import LoadClient
import TestSupport
import Wire

/// The results of all steps.
struct LoadResult: Sendable {
    /// The cost of a process.
    struct Part: Sendable {
        let name: String
        /// CPU time per second.
        let processor: Double
        let anonymousBytes: Int
    }

    /// The latency of the calls of one name, in milliseconds.
    struct CallTimes: Sendable {
        let name: String
        let count: Int
        let p50: Double
        let p99: Double
    }

    let options: LoadOptions
    var steps: [Step] = []

    init(_ options: LoadOptions) { self.options = options }

    /// Whether the first step met the limit without errors and with all sockets open.
    func verdict() -> Verdicts {
        var verdicts = Verdicts()
        guard let first = steps.first else {
            verdicts.add("no step ran", false)
            return verdicts
        }
        verdicts.add(
            "\(options.users) active users beside \(options.idle) idle sockets: p99 \(first.p99.tenths) ms of "
                + "\(options.limit.tenths), \(first.failures) errors, \(first.sockets) sockets open",
            first.isMet(at: options.limit, sockets: options.idle))
        return verdicts
    }

    func write(to path: String) throws {
        let bytes = JSONWriter.bytes { json in
            json.object { json in
                json.field("users", options.users)
                json.field("idle", options.idle)
                json.field("seconds", options.seconds)
                json.array("steps") { json in for step in steps { json.object { step.write(to: &$0) } } }
            }
        }
        guard let file = fopen(path, "w") else { throw NeverHappened(description: "cannot write \(path)") }
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }
}

extension Double {
    func rounded(toDigits digits: Int) -> Double {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        return (self * scale).rounded() / scale
    }

    /// Formatted with one decimal.
    var tenths: String {
        let tenths = Int((self * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
