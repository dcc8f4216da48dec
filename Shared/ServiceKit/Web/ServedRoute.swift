internal import Contract
internal import HTTP
internal import Telemetry

/// A route as a running service has it; an object, because every call holds it while it is answered.
final class ServedRoute: Sendable {
    let template: String
    let action: PublicRoutes.Action
    let body: BodyLimit
    /// Where the files of its bodies go; nil where they may have none.
    let uploads: (any FileStore)?
    let metrics: RouteMetrics
    /// Generations in which a path of this route may be the other's word, which is unknown there.
    private let ambiguousIn: [ClientProfile.Generation]

    init(
        _ route: PublicRoutes.Route, among routes: [PublicRoutes.Route], _ metrics: MetricsRegistry,
        uploads: (any FileStore)?
    ) {
        template = route.template
        action = route.action
        body = route.body
        self.uploads = body.files > 0 ? uploads : nil
        self.metrics = RouteMetrics(metrics, method: route.method.rawValue, template: route.template)
        ambiguousIn = ClientProfile.Generation.allCases.filter { generation in
            routes.contains { other in
                other.audience != .anybody && !other.isFor(generation) && other.mayTake(aPathOf: route)
            }
        }
    }

    /// Whether a path of this route may be the other generation's word.
    func isAmbiguous(in generation: ClientProfile.Generation) -> Bool {
        // Most never are.
        !ambiguousIn.isEmpty && ambiguousIn.contains(generation)
    }
}

extension PublicRoutes.Route {
    /// Whether client apps of this generation have it.
    func isFor(_ generation: ClientProfile.Generation) -> Bool {
        audience == .clients(generation) || audience == .clients(nil)
    }

    /// Whether some path fits both templates, and this one has the fewer parameters.
    fileprivate func mayTake(aPathOf other: Self) -> Bool {
        let (mine, others) = (template.split(separator: "/"), other.template.split(separator: "/"))
        let isParameter = { (segment: Substring) in segment.hasPrefix("{") }
        guard mine.filter(isParameter).count < others.filter(isParameter).count else { return false }
        if template.hasSuffix("*}") || other.template.hasSuffix("*}") { return true }
        return mine.count == others.count
            && zip(mine, others).allSatisfy { $0 == $1 || isParameter($0) || isParameter($1) }
    }
}
