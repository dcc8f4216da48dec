/// A cost on which the calculator of capacity builds. `docs/capacity.md` quotes all of them.
struct CapacityFigure: Sendable, Equatable {
    enum Unit: String, Sendable {
        case microseconds = "µs"
        case bytes = "B"
    }

    let name: String
    let value: Double
    let unit: Unit
    /// The command that measures it.
    let command: String

    /// The figure as a row of the table in `docs/capacity.md`.
    var row: String {
        "| \(name) | \(Self.text(value)) \(unit.rawValue) | `\(command)` |"
    }

    /// A number with a separator of thousands, and one decimal below 100.
    static func text(_ value: Double) -> String {
        guard value >= 100 else {
            let tenths = Int((value * 10).rounded())
            return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        }
        let digits = String(Int(value.rounded()))
        return String(
            digits.enumerated().flatMap { index, digit in
                (digits.count - index) % 3 == 0 && index > 0 ? [",", digit] : [digit]
            })
    }
}
