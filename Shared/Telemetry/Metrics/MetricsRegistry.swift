public import EventLoop
internal import Synchronization

/// All metrics of a process, created at the start and passed to the code that counts.
///
///     let sent = metrics.counter("maru_messages_sent_total", "Messages accepted.", labels: ["room": "channel"])
///     sent.increment()
///
/// Label values come from the source and from fixed sets, such as route templates and status codes, never from clients:
/// every combination is a series that stays for ever.
public final class MetricsRegistry: Sendable {
    private enum Series {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)
    }

    private struct Family {
        let name: StaticString
        let help: StaticString
        let kind: MetricsPage.Kind
        var series: [(labels: MetricLabels, series: Series)] = []
        var indices: [MetricLabels: Int] = [:]
    }

    private struct State {
        var families: [Family] = []
        var indices: [String: Int] = [:]
        var sources: [any MetricsSource] = []
        var seriesCount = 0
    }

    private let state = Mutex(State())
    private let group: EventLoopGroup
    private let limit: Int

    /// Makes an empty registry for the loops of `group`.
    ///
    /// - Parameter limit: the greatest number of series. Further metrics count, but are not on the page.
    public init(for group: EventLoopGroup, limit: Int = 10_000) {
        self.group = group
        self.limit = limit
    }

    /// A counter; the same one for the same name and labels. Its name ends with `_total`.
    public func counter(_ name: StaticString, _ help: StaticString, labels: MetricsPage.Labels = [:]) -> Counter {
        precondition(name.description.hasSuffix("_total"), "a counter's name ends with _total: \(name)")
        let series = series(name, help, .counter, labels) { .counter(Counter(for: group)) }
        guard case .counter(let counter) = series else { preconditionFailure("\(name) is not a counter") }
        return counter
    }

    /// A gauge; the same one for the same name and labels.
    public func gauge(_ name: StaticString, _ help: StaticString, labels: MetricsPage.Labels = [:]) -> Gauge {
        let series = series(name, help, .gauge, labels) { .gauge(Gauge(for: group)) }
        guard case .gauge(let gauge) = series else { preconditionFailure("\(name) is not a gauge") }
        return gauge
    }

    /// A histogram; the same one for the same name and labels. Times are in seconds, and the name says so.
    public func histogram(
        _ name: StaticString, _ help: StaticString, labels: MetricsPage.Labels = [:],
        buckets: Histogram.Buckets = .latency
    ) -> Histogram {
        let series = series(name, help, .histogram, labels) { .histogram(Histogram(buckets, for: group)) }
        guard case .histogram(let histogram) = series else { preconditionFailure("\(name) is not a histogram") }
        return histogram
    }

    /// Adds metrics that are read from another source when the page is written.
    public func add(_ source: any MetricsSource) { state.withLock { $0.sources.append(source) } }

    /// The page that Prometheus scrapes.
    ///
    /// Sources may block for a few milliseconds, so write it on a blocking pool.
    public func page() -> [UInt8] {
        let (families, sources) = state.withLock { ($0.families, $0.sources) }
        var page = MetricsPage()
        for family in families {
            page.begin(family.name, family.kind, family.help)
            for (labels, series) in family.series {
                switch series {
                case .counter(let counter): page.value(counter.value, labels)
                case .gauge(let gauge): page.value(gauge.value, labels)
                case .histogram(let histogram): page.value(histogram, labels)
                }
            }
        }
        for source in sources { source.write(to: &page) }
        return page.bytes
    }

    private func series(
        _ name: StaticString, _ help: StaticString, _ kind: MetricsPage.Kind, _ labels: MetricsPage.Labels,
        make: () -> Series
    ) -> Series {
        precondition(Self.isName(name.description), "invalid metric name: \(name)")
        let labels = MetricLabels(labels)
        return state.withLock { state in
            let index = state.indices[name.description] ?? state.families.count
            if index == state.families.count {
                state.indices[name.description] = index
                state.families.append(Family(name: name, help: help, kind: kind))
            }
            precondition(state.families[index].kind == kind, "\(name) is a \(state.families[index].kind)")
            if let known = state.families[index].indices[labels] { return state.families[index].series[known].series }
            let made = make()
            guard state.seriesCount < limit else { return made }
            state.seriesCount += 1
            state.families[index].indices[labels] = state.families[index].series.count
            state.families[index].series.append((labels, made))
            return made
        }
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
    }
}

/// Metrics with a state of their own: the system's, or a pool's.
public protocol MetricsSource: Sendable {
    /// Writes the present values; from any thread.
    func write(to page: inout MetricsPage)
}
