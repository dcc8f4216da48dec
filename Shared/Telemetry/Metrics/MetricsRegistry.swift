public import EventLoop
internal import Synchronization

/// All metrics of a process, made at the start and passed to those who count.
///
///     let sent = metrics.counter("maru_messages_sent_total", "Messages accepted.", labels: ["room": "channel"])
///     sent.increment()
///
/// Labels come from the source and from tables, such as route templates and status codes, never from what clients send:
/// there is a series for each combination, for ever.
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
        var places: [MetricLabels: Int] = [:]
    }

    private struct State {
        var families: [Family] = []
        var places: [String: Int] = [:]
        var sources: [any MetricsSource] = []
        var seriesCount = 0
    }

    private let state = Mutex(State())
    private let group: EventLoopGroup
    private let limit: Int

    /// Makes an empty registry for what the loops of `group` count.
    ///
    /// - Parameter limit: series that it holds. What is made beyond counts, but is not shown.
    public init(for group: EventLoopGroup, limit: Int = 10_000) {
        self.group = group
        self.limit = limit
    }

    /// A counter; the same one for the same name and labels. Its name ends with `_total`.
    public func counter(_ name: StaticString, _ help: StaticString, labels: MetricsPage.Labels = [:]) -> Counter {
        precondition(name.description.hasSuffix("_total"), "a counter's name ends with _total: \(name)")
        let series = series(name, help, .counter, labels) { .counter(Counter(for: group)) }
        guard case .counter(let counter) = series else { preconditionFailure("\(name) is no counter") }
        return counter
    }

    /// A gauge; the same one for the same name and labels.
    public func gauge(_ name: StaticString, _ help: StaticString, labels: MetricsPage.Labels = [:]) -> Gauge {
        let series = series(name, help, .gauge, labels) { .gauge(Gauge(for: group)) }
        guard case .gauge(let gauge) = series else { preconditionFailure("\(name) is no gauge") }
        return gauge
    }

    /// A histogram; the same one for the same name and labels. Times are shown in seconds: its name says so.
    public func histogram(
        _ name: StaticString, _ help: StaticString, labels: MetricsPage.Labels = [:],
        buckets: Histogram.Buckets = .latency
    ) -> Histogram {
        let series = series(name, help, .histogram, labels) { .histogram(Histogram(buckets, for: group)) }
        guard case .histogram(let histogram) = series else { preconditionFailure("\(name) is no histogram") }
        return histogram
    }

    /// Adds metrics that are counted elsewhere and looked up when the page is written.
    public func add(_ source: any MetricsSource) { state.withLock { $0.sources.append(source) } }

    /// The page that Prometheus asks for.
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
        precondition(Self.isName(name.description), "no name of a metric: \(name)")
        let labels = MetricLabels(labels)
        return state.withLock { state in
            let place = state.places[name.description] ?? state.families.count
            if place == state.families.count {
                state.places[name.description] = place
                state.families.append(Family(name: name, help: help, kind: kind))
            }
            precondition(state.families[place].kind == kind, "\(name) is a \(state.families[place].kind)")
            if let known = state.families[place].places[labels] { return state.families[place].series[known].series }
            let made = make()
            guard state.seriesCount < limit else { return made }
            state.seriesCount += 1
            state.families[place].places[labels] = state.families[place].series.count
            state.families[place].series.append((labels, made))
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

/// Metrics that are counted elsewhere: by the system, or by a pool that knows its own state.
public protocol MetricsSource: Sendable {
    /// Writes them as they are now; from any thread.
    func write(to page: inout MetricsPage)
}
