public import Contract
public import HTTP

/// The routes of a service that clients see; each line reads like its row in the contract.
public struct PublicRoutes {
    /// What a route does for a caller who has signed in.
    public typealias SignedInHandler = @Sendable (Call, Caller) async throws -> Response
    /// What a route does for anybody.
    public typealias OpenHandler = @Sendable (Call) async throws -> Response

    /// What stands behind a path and method.
    struct Route: Sendable {
        let audience: Audience
        let method: Method
        let template: String
        let action: Action
        let body: BodyLimit
    }

    enum Audience: Sendable, Equatable {
        /// Client apps of one generation, or of both.
        case clients(ClientProfile.Generation?)
        /// Whoever knows the path; the handler checks who calls.
        case anybody
    }

    enum Action: Sendable {
        case signedIn(SignedInHandler)
        case open(OpenHandler)
    }

    private(set) var all: [Route] = []

    init() {}

    /// A route that needs an API key and an access token; of one generation, or of both.
    public mutating func signedIn(
        _ method: Method, _ template: String, in generation: ClientProfile.Generation? = nil,
        body: BodyLimit = .fields, _ handler: @escaping SignedInHandler
    ) {
        add(.clients(generation), method, template, .signedIn(handler), body)
    }

    /// A route that needs an API key only.
    public mutating func open(
        _ method: Method, _ template: String, in generation: ClientProfile.Generation? = nil,
        body: BodyLimit = .fields, _ handler: @escaping OpenHandler
    ) {
        add(.clients(generation), method, template, .open(handler), body)
    }

    /// A route for other servers, which have no API key; the handler checks who calls.
    public mutating func webhook(
        _ method: Method, _ template: String, body: BodyLimit = .fields, _ handler: @escaping OpenHandler
    ) {
        add(.anybody, method, template, .open(handler), body)
    }

    private mutating func add(
        _ audience: Audience, _ method: Method, _ template: String, _ action: Action, _ body: BodyLimit
    ) {
        all.append(Route(audience: audience, method: method, template: template, action: action, body: body))
    }

    /// Bytes of the largest body that a route takes.
    var largestBody: Int { all.map(\.body.total).max() ?? 0 }

    /// Every route as `METHOD template`, for tests that hold a table against them.
    public var listing: [String] { Set(all.map { "\($0.method.rawValue) \($0.template)" }).sorted() }
}
