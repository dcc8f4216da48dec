import Telemetry

/// The metrics of commands.
struct CommandMetrics: Sendable {
    let answered, waiting, failed: Counter

    init(_ metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "maru_commands_total", "Runs of commands, by the bot's answer.", labels: ["outcome": outcome])
        }
        answered = counter("answered")
        waiting = counter("waiting")
        failed = counter("failed")
    }
}
