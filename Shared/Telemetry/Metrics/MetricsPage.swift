internal import Wire

/// Writes metrics in Prometheus's text exposition format 0.0.4.
public struct MetricsPage {
    /// The value of the Content-Type header.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Names and values of labels.
    public typealias Labels = KeyValuePairs<StaticString, String>

    /// The type of a metric, as Prometheus knows it.
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    private var output = ByteWriter(capacity: 16 * 1024)
    private var name: StaticString = ""

    var bytes: [UInt8] { output.bytes }

    /// Starts a metric; its values follow.
    public mutating func begin(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        self.name = name
        output.append("# HELP " as StaticString)
        output.append(name)
        output.append(UInt8(ascii: " "))
        appendEscaped(help.description, quotes: false)
        output.append("\n# TYPE " as StaticString)
        output.append(name)
        output.append(UInt8(ascii: " "))
        output.append(kind.rawValue)
        output.append(UInt8(ascii: "\n"))
    }

    /// Writes one value of the current metric.
    public mutating func value(_ value: Double, labels: Labels = [:]) {
        line("", MetricLabels(labels)) { $0.appendNumber(value) }
    }

    mutating func value(_ count: UInt64, _ labels: MetricLabels) {
        line("", labels) { $0.output.append(decimal: count) }
    }

    mutating func value(_ number: Int, _ labels: MetricLabels) {
        line("", labels) { $0.output.append(decimal: number) }
    }

    mutating func value(_ histogram: Histogram, _ labels: MetricLabels) {
        let (counts, sum) = histogram.read()
        var total: UInt64 = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound =
                index < histogram.buckets.bounds.count
                ? "\(Double(histogram.buckets.bounds[index]) / histogram.buckets.unit)" : "+Inf"
            line("_bucket", labels, bound: bound) { $0.output.append(decimal: total) }
        }
        line("_sum", labels) { $0.appendNumber(sum) }
        line("_count", labels) { $0.output.append(decimal: total) }
    }

    private mutating func line(
        _ suffix: StaticString, _ labels: MetricLabels, bound: String? = nil, _ write: (inout MetricsPage) -> Void
    ) {
        output.append(name)
        output.append(suffix)
        var separator = UInt8(ascii: "{")
        for (name, value) in labels.pairs + (bound.map { [("le", $0)] } ?? []) {
            output.append(separator)
            output.append(name)
            output.append("=\"" as StaticString)
            appendEscaped(value, quotes: true)
            output.append(UInt8(ascii: "\""))
            separator = UInt8(ascii: ",")
        }
        if separator == UInt8(ascii: ",") { output.append(UInt8(ascii: "}")) }
        output.append(UInt8(ascii: " "))
        write(&self)
        output.append(UInt8(ascii: "\n"))
    }

    private mutating func appendNumber(_ number: Double) {
        if number.isNaN {
            output.append("NaN" as StaticString)
        } else if number.isInfinite {
            output.append(number > 0 ? "+Inf" : "-Inf" as StaticString)
        } else {
            output.append(number.description)
        }
    }

    private mutating func appendEscaped(_ text: String, quotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): output.append("\\\\" as StaticString)
            case UInt8(ascii: "\n"): output.append("\\n" as StaticString)
            case UInt8(ascii: "\"") where quotes: output.append("\\\"" as StaticString)
            default: output.append(byte)
            }
        }
    }
}
