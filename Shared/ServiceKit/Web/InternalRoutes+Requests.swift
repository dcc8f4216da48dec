public import Contract
internal import HTTP

extension InternalRoutes {
    /// Adds the route of a typed call. `handler` receives the request and returns its reply; the caller has already
    /// shown the service credential.
    public mutating func add<Request: InternalRequest>(
        _: Request.Type, _ handler: @escaping @Sendable (Request) async throws -> Request.Reply
    ) {
        add(Request.route.method, Request.route.template) { call in
            let request = try Request(reading: try await call.reader(hasBody: Request.route.method != .get))
            return .json(try await handler(request).encoded())
        }
    }
}
