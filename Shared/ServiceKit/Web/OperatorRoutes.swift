public import HTTP

/// The routes of a service for operators, below `/operator/` on the internal port. They want the operator's credential and not
/// that of the services.
public struct OperatorRoutes {
    /// Handles a call of an operator.
    public typealias Handler = @Sendable (InternalCall) async throws -> Response

    /// The entries of a route's calls in the audit log of operators.
    enum Record: Sendable, Equatable {
        /// None: the route shows neither people nor their texts.
        case nothing
        /// One for each look.
        case look(String)
        /// The act before it begins, and its outcome.
        case act(String)
    }

    struct Route: Sendable {
        let template: String
        let record: Record
        let handler: Handler
    }

    private(set) var router = Router<Route>()
    /// Every route as `METHOD template`.
    public private(set) var listing: [String] = []

    /// The beginning of all templates.
    static let prefix = "/operator/"

    init() {}

    /// Adds a route that shows the state of the service.
    public mutating func show(_ template: String, _ handler: @escaping Handler) {
        add(.get, template, .nothing, handler)
    }

    /// Adds a route that shows people or their texts: the log keeps each look.
    public mutating func look(_ name: String, _ template: String, _ handler: @escaping Handler) {
        add(.get, template, .look(name), handler)
    }

    /// Adds a route that changes something. It is refused while the log cannot be written.
    ///
    /// - Parameter name: such as `users.disable`.
    public mutating func act(_ name: String, _ method: Method, _ template: String, _ handler: @escaping Handler) {
        add(method, template, .act(name), handler)
    }

    private mutating func add(_ method: Method, _ template: String, _ record: Record, _ handler: @escaping Handler) {
        precondition(template.hasPrefix(Self.prefix), "a route of operators outside \(Self.prefix): \(template)")
        router.add(method, template, Route(template: template, record: record, handler: handler))
        listing.append("\(method.rawValue) \(template)")
    }

    /// The target of a call: its path up to the last parameter, such as `users/5` for `/operator/users/5/sessions`. It is empty
    /// for a template without parameters.
    static func subject(of path: String, template: String) -> String {
        let (path, template) = (path.split(separator: "/"), template.split(separator: "/"))
        guard let last = template.lastIndex(where: { $0.hasPrefix("{") }), last < path.count else { return "" }
        return path[1...last].joined(separator: "/")
    }
}
