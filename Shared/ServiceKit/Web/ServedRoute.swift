internal import Contract
internal import HTTP
internal import Telemetry

/// A route of a running service. It is a class because every call keeps a reference to it.
final class ServedRoute: Sendable {
    let template: String
    let action: PublicRoutes.Action
    let body: BodyLimit
    /// The form of failures for callers without an API key.
    let statuses: ClientProfile.Statuses
    /// Takes the files of bodies; nil if the route accepts no files.
    let uploads: Uploads?
    let metrics: RouteMetrics
    /// The scope that a bot needs; nil for a route that bots may not call.
    let botScope: BotScope?
    /// The forms in which a path of this route may match a literal segment of another form's route.
    private let ambiguousIn: [ClientProfile.Form]

    init(
        _ route: PublicRoutes.Route, among routes: [PublicRoutes.Route], _ metrics: MetricsRegistry,
        uploads: Uploads?
    ) {
        template = route.template
        botScope = BotScope.needed(for: route.method, route.template)
        action = route.action
        body = route.body
        statuses = route.statuses
        self.uploads = body.files > 0 ? uploads : nil
        self.metrics = RouteMetrics(metrics, method: route.method.rawValue, template: route.template)
        ambiguousIn = ClientProfile.Form.allCases.filter { form in
            routes.contains { other in
                other.audience != .keyless && !other.isFor(form) && other.mayMatch(pathOf: route)
            }
        }
    }

    /// Whether a path of this route may match a literal segment of another form's route.
    func isAmbiguous(in form: ClientProfile.Form) -> Bool {
        // Most routes have no such form.
        !ambiguousIn.isEmpty && ambiguousIn.contains(form)
    }
}

extension PublicRoutes.Route {
    /// Whether clients of this form have the route.
    func isFor(_ form: ClientProfile.Form) -> Bool {
        switch audience {
        case .clients(nil): true
        case .clients(.january2024): form == .january2024
        case .clients(.july2024): form != .january2024
        case .native: form == .native
        case .keyless: false
        }
    }

    /// Whether some path matches both templates, and this one has fewer parameters.
    fileprivate func mayMatch(pathOf other: Self) -> Bool {
        let (mine, others) = (template.split(separator: "/"), other.template.split(separator: "/"))
        let isParameter = { (segment: Substring) in segment.hasPrefix("{") }
        guard mine.filter(isParameter).count < others.filter(isParameter).count else { return false }
        if template.hasSuffix("*}") || other.template.hasSuffix("*}") { return true }
        return mine.count == others.count
            && zip(mine, others).allSatisfy { $0 == $1 || isParameter($0) || isParameter($1) }
    }
}
