import Telemetry

/// The metrics of outgoing webhooks.
struct WebhookMetrics: Sendable {
    let delivered, retried, failed: Counter
    let turnedOff: Counter
    private let forbidden: Counter

    init(_ metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "maru_webhook_deliveries_total", "Calls to the receivers of outgoing webhooks, by outcome.",
                labels: ["outcome": outcome])
        }
        delivered = counter("delivered")
        retried = counter("retried")
        failed = counter("failed")
        turnedOff = metrics.counter(
            "maru_webhooks_turned_off_total", "Outgoing webhooks that were switched off because they kept failing.",
            labels: [:])
        forbidden = metrics.counter(
            "maru_webhook_forbidden_total", "Calls that were not made because the address is not public.", labels: [:])
    }

    func observe(_ answer: WebhookReceivers.Answer) {
        if answer.isForbidden { forbidden.increment() }
    }
}
