import HTTP

/// The providers that the stand-ins replace.
enum Provider: String, CaseIterable, Hashable, Sendable {
    case kakao, apple, fcm, portone, oidc, collector
}

/// A route of the stand-ins.
struct StandinRoute: Sendable {
    /// The provider of the route; nil for a route for tests.
    let provider: Provider?
    let answer: @Sendable (StandinCall) async throws -> Response
}

/// Collects the routes of the stand-ins.
struct StandinRoutes {
    private(set) var router = Router<StandinRoute>()

    /// Adds a route of a provider, to which its behavior applies.
    mutating func add(
        _ provider: Provider, _ method: Method, _ template: String,
        _ answer: @escaping @Sendable (StandinCall) async throws -> Response
    ) {
        router.add(method, template, StandinRoute(provider: provider, answer: answer))
    }

    /// Adds a route for tests, which no provider has.
    mutating func control(
        _ method: Method, _ template: String, _ answer: @escaping @Sendable (StandinCall) async throws -> Response
    ) {
        router.add(method, template, StandinRoute(provider: nil, answer: answer))
    }
}
