public import Contract
public import HTTP

/// The routes of a service for clients; each line reads like its row in the contract.
public struct PublicRoutes {
    /// Handles a call of a signed-in caller.
    public typealias SignedInHandler = @Sendable (Call, Caller) async throws -> Response
    /// Handles a call without a token.
    public typealias OpenHandler = @Sendable (Call) async throws -> Response

    /// A route with its handler.
    struct Route: Sendable {
        let audience: Audience
        let method: Method
        let template: String
        let action: Action
        let body: BodyLimit
        /// The form of failures for callers without an API key.
        let statuses: ClientProfile.Statuses
    }

    enum Audience: Sendable, Equatable {
        /// Client apps of one generation, or of both.
        case clients(ClientProfile.Generation?)
        /// Client apps that use the native API.
        case native
        /// Callers without an API key; the handler authenticates them.
        case keyless
    }

    enum Action: Sendable {
        case signedIn(SignedInHandler)
        case open(OpenHandler)
    }

    private(set) var all: [Route] = []

    init() {}

    /// Adds a route that needs an API key and an access token; for one generation of clients, or for both.
    public mutating func signedIn(
        _ method: Method, _ template: String, in generation: ClientProfile.Generation? = nil,
        body: BodyLimit = .fields, _ handler: @escaping SignedInHandler
    ) {
        add(.clients(generation), method, template, .signedIn(handler), body)
    }

    /// Adds a route of the native API that needs an API key and an access token. Shipped apps have no such route.
    public mutating func native(
        _ method: Method, _ template: String, body: BodyLimit = .fields, _ handler: @escaping SignedInHandler
    ) {
        add(.native, method, template, .signedIn(handler), body)
    }

    /// Adds a route of the native API that needs only an API key. Shipped apps have no such route.
    public mutating func nativeOpen(
        _ method: Method, _ template: String, body: BodyLimit = .fields, _ handler: @escaping OpenHandler
    ) {
        add(.native, method, template, .open(handler), body)
    }

    /// Adds a route that needs only an API key.
    public mutating func open(
        _ method: Method, _ template: String, in generation: ClientProfile.Generation? = nil,
        body: BodyLimit = .fields, _ handler: @escaping OpenHandler
    ) {
        add(.clients(generation), method, template, .open(handler), body)
    }

    /// Adds a route for other servers, which have no API key; the handler authenticates the caller.
    ///
    /// - Parameter statuses: the form of failures.
    public mutating func webhook(
        _ method: Method, _ template: String, body: BodyLimit = .fields, statuses: ClientProfile.Statuses = .legacy,
        _ handler: @escaping OpenHandler
    ) {
        add(.keyless, method, template, .open(handler), body, statuses)
    }

    /// Adds a route for holders of a signed URL. They need no API key; the handler checks the signature.
    public mutating func linked(_ method: Method, _ template: String, _ handler: @escaping OpenHandler) {
        keyless(method, template, handler)
    }

    /// Adds a route for callers without an API key; the handler authenticates them.
    mutating func keyless(
        _ method: Method, _ template: String, body: BodyLimit = .fields, _ handler: @escaping OpenHandler
    ) {
        add(.keyless, method, template, .open(handler), body)
    }

    private mutating func add(
        _ audience: Audience, _ method: Method, _ template: String, _ action: Action, _ body: BodyLimit,
        _ statuses: ClientProfile.Statuses = .legacy
    ) {
        all.append(
            Route(
                audience: audience, method: method, template: template, action: action, body: body, statuses: statuses))
    }

    /// The bytes of the largest body that a route accepts.
    var largestBody: Int { all.map(\.body.total).max() ?? 0 }

    /// Every route as `METHOD template`, for tests that compare it with a table.
    public var listing: [String] { Set(all.map { "\($0.method.rawValue) \($0.template)" }).sorted() }
}
