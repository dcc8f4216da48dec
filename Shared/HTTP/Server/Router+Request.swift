extension Router {
    /// Finds the route of a request; a HEAD request may match a GET route.
    @inlinable
    public func match(_ request: Request) -> Outcome { outcome(tree.match(request)) }
}

extension RouteTree {
    @usableFromInline
    func match(_ request: Request) -> Outcome { request.storage.withPath { match(request.method, $0) } }
}
