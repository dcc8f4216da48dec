internal import Telemetry

/// The version of the running program, as a metric.
struct BuildMetrics: MetricsSource {
    let service: String

    func write(to page: inout MetricsPage) {
        page.begin("maru_build_info", .gauge, "The version of the running program; the value is always 1.")
        page.value(1, labels: ["version": Build.version, "service": service])
    }
}
