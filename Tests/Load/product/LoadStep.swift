import Glibc
import LoadClient
import Wire

extension LoadResult {
    /// The results at one rate.
    struct Step: Sendable {
        /// Actions per second: started, and completed without errors.
        let rate: Double
        let done: Double
        /// Milliseconds from the planned end to the end of the last action.
        let late: Double
        /// Successful calls per second.
        let calls: Double
        /// Milliseconds from an action's planned start to its end.
        let p50: Double
        let p99: Double
        /// The p99 of each slice of the step. One stall of the machine raises that of one slice.
        let sliceP99s: [Double]
        let failures: Int
        let failuresByCause: [String: Int]
        let times: [CallTimes]
        /// Events per second received by sockets.
        let events: Double
        let sockets: Int
        let parts: [Part]

        init(
            rate: Double, seconds: Int, outcome: LoadOutcome, sliceP99s: [Double], samples: Samples, events: Int,
            sockets: Int, parts: [Part]
        ) {
            self.rate = rate
            late = (outcome.seconds - Double(seconds)) * 1000
            done = outcome.rate
            calls = Double(samples.count) / outcome.seconds
            p50 = outcome.percentile(0.5)
            p99 = outcome.percentile(0.99)
            self.sliceP99s = sliceP99s
            failuresByCause = outcome.failures
            failures = outcome.failures.values.reduce(0, +)
            times = samples.names.map { name in
                CallTimes(
                    name: name, count: samples.count(of: name), p50: samples.percentile(0.5, of: name),
                    p99: samples.percentile(0.99, of: name))
            }
            self.events = Double(events) / outcome.seconds
            self.sockets = sockets
            self.parts = parts
        }

        /// The median of the slices.
        var typicalP99: Double { sliceP99s.sorted()[sliceP99s.count / 2] }

        /// Whether the product was overloaded at this rate.
        func isOverloaded(at limit: Double) -> Bool {
            p99 > limit || failures > 0 || (done < rate * 0.95 && late > limit)
        }

        func isMet(at limit: Double, sockets wanted: Int) -> Bool { !isOverloaded(at: limit) && sockets == wanted }

        static func printHead() {
            print("")
            print(columns(["actions/s", "done/s", "calls/s", "events/s", "p50 ms", "p99 ms", "errors", "sockets"]))
            print("    each part: CPU seconds per second, MB of anonymous memory")
        }

        func printRow() {
            print(
                Self.columns([
                    rate.tenths, done.tenths, calls.tenths, events.tenths, p50.tenths, p99.tenths, "\(failures)",
                    "\(sockets)",
                ]))
            let costs = parts.map { part in
                "\(part.name) \(part.processor.rounded(toDigits: 2)), \(part.anonymousBytes >> 20)"
            }
            print("    " + costs.joined(separator: " | "))
            print("    " + times.map { "\($0.name) \($0.p50.tenths)/\($0.p99.tenths)" }.joined(separator: " | "))
            if sliceP99s.count > 1 {
                print("    p99 of the slices: " + sliceP99s.map(\.tenths).joined(separator: ", "))
            }
            if !failuresByCause.isEmpty { print("    failures: \(failuresByCause)") }
            fflush(nil)
        }

        private static func columns(_ texts: [String]) -> String {
            texts.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }.joined()
        }

        func write(to json: inout JSONWriter) {
            json.field("actions_per_second", rate.rounded(toDigits: 1))
            json.field("done_per_second", done.rounded(toDigits: 1))
            json.field("calls_per_second", calls.rounded(toDigits: 1))
            json.field("events_per_second", events.rounded(toDigits: 1))
            json.field("p50_ms", p50.rounded(toDigits: 1))
            json.field("p99_ms", p99.rounded(toDigits: 1))
            json.field("typical_p99_ms", typicalP99.rounded(toDigits: 1))
            json.field("errors", failures)
            json.field("sockets", sockets)
            json.array("calls") { json in
                for call in times {
                    json.object { json in
                        json.field("name", call.name)
                        json.field("count", call.count)
                        json.field("p50_ms", call.p50.rounded(toDigits: 1))
                        json.field("p99_ms", call.p99.rounded(toDigits: 1))
                    }
                }
            }
            json.array("parts") { json in
                for part in parts {
                    json.object { json in
                        json.field("name", part.name)
                        json.field("processors", part.processor.rounded(toDigits: 3))
                        json.field("anonymous_bytes", part.anonymousBytes)
                    }
                }
            }
        }
    }
}
