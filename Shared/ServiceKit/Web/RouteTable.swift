internal import Contract
internal import HTTP
internal import Telemetry

/// All public routes, found by generation, method and path.
struct RouteTable: Sendable {
    typealias Match = RouteMatch<ServedRoute>

    private var january = Router<ServedRoute>()
    private var july = Router<ServedRoute>()
    /// The routes of both generations.
    private var clients = Router<ServedRoute>()
    private var keyless = Router<ServedRoute>()

    init(_ routes: PublicRoutes, _ metrics: MetricsRegistry, uploads: Uploads? = nil) {
        for route in routes.all {
            let served = ServedRoute(route, among: routes.all, metrics, uploads: uploads)
            if route.audience == .keyless {
                keyless.add(route.method, route.template, served)
            } else {
                clients.add(route.method, route.template, served)
            }
            if route.isFor(.january2024) { january.add(route.method, route.template, served) }
            if route.isFor(.july2024) { july.add(route.method, route.template, served) }
        }
    }

    /// The route of a request of this generation.
    ///
    /// A literal segment of the other generation's routes, such as `my`, never matches a parameter of this generation: such a
    /// path is unknown.
    func match(_ request: Request, in generation: ClientProfile.Generation) -> Match? {
        let match = generation == .january2024 ? match(request, in: january) : match(request, in: july)
        guard let match, match.payload.isAmbiguous(in: generation) else { return match }
        let either = self.match(request, in: clients)
        return (either?.parameters.count ?? 0) < match.parameters.count ? nil : match
    }

    /// The route of a request without an API key.
    func keyless(_ request: Request) -> Match? { match(request, in: keyless) }

    /// Whether the route exists in any generation.
    func exists(_ request: Request) -> Bool { match(request, in: clients) != nil }

    private func match(_ request: Request, in router: Router<ServedRoute>) -> Match? {
        guard case .found(let match) = router.match(request) else { return nil }
        return match
    }
}
