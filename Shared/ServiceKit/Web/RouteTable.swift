internal import Contract
internal import HTTP
internal import Telemetry

/// All public routes, found by generation, method and path.
struct RouteTable: Sendable {
    typealias Match = RouteMatch<PublicRoutes.Route>

    private let router: Router<PublicRoutes.Route>

    init(_ routes: PublicRoutes, _ metrics: MetricsRegistry) {
        var router = Router<PublicRoutes.Route>()
        for var route in routes.all {
            route.metrics = RouteMetrics(metrics, method: route.method.rawValue, template: route.template)
            router.add(route.method, route.template, route)
        }
        self.router = router
    }

    /// The route under a key of this generation.
    ///
    /// What the other generation has a word for, such as `my`, is no parameter in this one: it is unknown here.
    func match(_ request: Request, in generation: ClientProfile.Generation) -> Match? {
        let match = match(request) { $0.audience == .clients(generation) || $0.audience == .clients(nil) }
        guard let match, match.parameters.count > 0 else { return match }
        let anybodys = self.match(request) { $0.audience != .anybody }
        return (anybodys?.parameters.count ?? 0) < match.parameters.count ? nil : match
    }

    /// The route that needs no key.
    func webhook(_ request: Request) -> Match? { match(request) { $0.audience == .anybody } }

    /// Whether some key could have this route.
    func exists(_ request: Request) -> Bool { match(request) { $0.audience != .anybody } != nil }

    private func match(_ request: Request, where isCandidate: (PublicRoutes.Route) -> Bool) -> Match? {
        guard case .found(let match) = router.match(request.method, request.path, where: isCandidate) else {
            return nil
        }
        return match
    }
}
