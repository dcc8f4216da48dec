internal import Contract
internal import HTTP
internal import Telemetry

/// All public routes, found by the client's form, method and path.
struct RouteTable: Sendable {
    typealias Match = RouteMatch<ServedRoute>

    private var january = Router<ServedRoute>()
    private var july = Router<ServedRoute>()
    private var native = Router<ServedRoute>()
    /// The routes of all clients.
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
            if route.isFor(.native) { native.add(route.method, route.template, served) }
        }
    }

    /// The route of a request from a client of this form.
    ///
    /// A literal segment of another form's routes, such as `my`, never matches a parameter of this form: such a path is
    /// unknown.
    func match(_ request: Request, in form: ClientProfile.Form) -> Match? {
        let match = match(request, in: router(of: form))
        guard let match, match.payload.isAmbiguous(in: form) else { return match }
        let either = self.match(request, in: clients)
        return (either?.parameters.count ?? 0) < match.parameters.count ? nil : match
    }

    private func router(of form: ClientProfile.Form) -> Router<ServedRoute> {
        switch form {
        case .january2024: january
        case .july2024: july
        case .native: native
        }
    }

    /// The route of a request without an API key.
    func keyless(_ request: Request) -> Match? { match(request, in: keyless) }

    /// Whether the route exists for any client.
    func exists(_ request: Request) -> Bool { match(request, in: clients) != nil }

    private func match(_ request: Request, in router: Router<ServedRoute>) -> Match? {
        guard case .found(let match) = router.match(request) else { return nil }
        return match
    }
}
