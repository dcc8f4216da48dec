/// The labels of one series, in the given order.
struct MetricLabels: Hashable {
    let pairs: [(name: String, value: String)]

    init(_ labels: MetricsPage.Labels) { pairs = labels.map { ($0.description, $1) } }

    static func == (left: MetricLabels, right: MetricLabels) -> Bool { left.pairs.elementsEqual(right.pairs, by: ==) }

    func hash(into hasher: inout Hasher) {
        for (name, value) in pairs {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}
