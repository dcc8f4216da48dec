internal import HTTP
internal import Telemetry

/// The settings of traces.
struct TraceSettings: Sendable {
    static let collector = ConfigKey(
        "trace_collector", default: "",
        "The address of an OpenTelemetry collector, such as http://127.0.0.1:4318, for OTLP over HTTP; empty for no traces."
    )
    static let rate = ConfigKey(
        "trace_rate", default: 0.0, atLeast: 0, atMost: 1,
        "The share of calls that are traced; the id of a trace decides, so that all services trace the same calls.")
    static let limit = ConfigKey(
        "trace_limit", default: 10, atLeast: 0,
        "Traces per second that callers may begin with the sampled flag of their traceparent header.")
    static let queue = ConfigKey(
        "trace_queue", default: 2048, atLeast: 1,
        "Finished spans that may wait for the collector; further ones are dropped and counted.")

    static let entries: [ConfigEntry] = [collector.entry, rate.entry, limit.entry, queue.entry]

    /// The URL that takes spans; nil without a collector.
    static func url(_ config: Config) throws(ConfigError) -> String? {
        let text = config[collector]
        guard !text.isEmpty else { return nil }
        guard OutsideURL(text) != nil, !text.contains("?") else {
            throw ConfigError("trace_collector must be a URL such as http://127.0.0.1:4318")
        }
        return (text.hasSuffix("/") ? String(text.dropLast()) : text) + SpanExport.path
    }

    static func limits(_ config: Config) -> Tracer.Limits {
        Tracer.Limits(rate: config[rate], asked: config[limit], waiting: config[queue])
    }
}
