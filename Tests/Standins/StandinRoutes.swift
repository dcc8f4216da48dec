import HTTP

/// Whom the stand-ins play.
enum Provider: String, CaseIterable, Hashable, Sendable {
    case kakao, apple, fcm, portone
}

/// A route of the stand-ins.
struct StandinRoute: Sendable {
    /// Whose wire format it speaks; nil for what tests are to use.
    let provider: Provider?
    let answer: @Sendable (StandinCall) async throws -> Response
}

/// Collects the routes.
struct StandinRoutes {
    private(set) var router = Router<StandinRoute>()

    /// A route of a provider: its mood counts.
    mutating func add(
        _ provider: Provider, _ method: Method, _ template: String,
        _ answer: @escaping @Sendable (StandinCall) async throws -> Response
    ) {
        router.add(method, template, StandinRoute(provider: provider, answer: answer))
    }

    /// A route that no provider has.
    mutating func control(
        _ method: Method, _ template: String, _ answer: @escaping @Sendable (StandinCall) async throws -> Response
    ) {
        router.add(method, template, StandinRoute(provider: nil, answer: answer))
    }
}
