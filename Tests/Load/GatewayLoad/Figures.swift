import Glibc

/// One line of the table: our figure beside a peer's.
struct Figure: Sendable {
    let part: String
    let what: String
    let ours: Double
    var peer: (name: String, value: Double)?
    /// The target in words, and whether it is met.
    var target: (words: String, isMet: Bool)?
    var decimals = 2

    /// The columns: part, measurement, ours, peer, ratio, target, verdict.
    var columns: [String] {
        [
            part, what, number(ours), peer.map { "\(number($0.value)) \($0.name)" } ?? "",
            peer.map { "\(Self.rounded(ours / $0.value, 2))" } ?? "", target?.words ?? "",
            target.map { $0.isMet ? "met" : "MISSED" } ?? "",
        ]
    }

    private func number(_ value: Double) -> String { Self.rounded(value, decimals) }

    private static func rounded(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite else { return "-" }
        let scale = (0..<decimals).reduce(1.0) { power, _ in power * 10 }
        let whole = Int((value * scale).rounded())
        guard decimals > 0 else { return "\(whole)" }
        let digits = "\(whole % Int(scale))"
        return "\(whole / Int(scale))." + String(repeating: "0", count: decimals - digits.count) + digits
    }
}

/// A table of figures.
struct FigureTable {
    private static let heading = ["", "", "Maru", "peer", "ratio", "target", ""]

    static func text(_ figures: [Figure]) -> String {
        let rows = [heading] + figures.map(\.columns)
        let widths = heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

/// Percentiles of figures.
enum Percentile {
    /// The value at a percentile; 0 if there are none.
    static func of(_ values: [UInt64], _ share: Double) -> Double {
        guard !values.isEmpty else { return 0 }
        return Double(values.sorted()[min(values.count - 1, Int(share * Double(values.count)))])
    }

    static func median(_ values: [Double]) -> Double { values.isEmpty ? .nan : values.sorted()[values.count / 2] }
}

/// Progress messages on standard error.
enum Progress {
    static func report(_ text: String) { _ = "  \(text)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) } }
}
