import LoadClient

/// Prints results.
enum Report {
    static func print(_ name: String, _ outcome: LoadOutcome, of what: String, _ cost: Cost) {
        let waits = [0.5, 0.99].map { tenths(outcome.percentile($0)) }
        Swift.print(
            "\(name): \(Int(outcome.rate)) \(what) a second, p50 \(waits[0]) ms, p99 \(waits[1]) ms, failures "
                + "\(outcome.failures)")
        Swift.print(
            "    CPU each: service \(tenths(cost.service)) µs, Postgres \(tenths(cost.database)) µs, "
                + "Redis \(tenths(cost.redis)) µs")
    }

    static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    static func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
