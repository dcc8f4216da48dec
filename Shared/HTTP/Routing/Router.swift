/// Finds the route of a method and a path. What a route *is* to the layer above stands in its payload.
///
/// A template is made of literal segments, parameters such as `{id}`, which take one segment that is not
/// empty, and last of all perhaps a rest such as `{path*}`, which takes what is left, slashes included.
/// Literals come before parameters, and these before rests; of equal templates, the one added first.
/// Segments are compared as they were sent, undecoded, so a `%2F` never parts two.
public struct Router<Payload: Sendable>: Sendable {
    /// What was found.
    public enum Outcome {
        /// A route has this path and method.
        case found(RouteMatch<Payload>)
        /// Routes have this path, but other methods: these.
        case otherMethod([Method])
        /// No route has this path.
        case unknown
    }

    @usableFromInline var tree = RouteTree()
    @usableFromInline var payloads: [Payload] = []

    /// A router without routes.
    public init() {}

    /// Adds a route; a template that cannot be is a mistake of the program and stops it.
    public mutating func add(_ method: Method, _ template: String, _ payload: Payload) {
        tree.add(method, template)
        payloads.append(payload)
    }

    /// Finds the route of a request; a HEAD takes a GET's.
    @inlinable
    public func match(_ request: Request) -> Outcome { outcome(tree.match(request)) }

    /// Finds the route of `path`, as it was sent; a HEAD takes a GET's.
    @inlinable
    public func match(_ method: Method, _ path: ArraySlice<UInt8>) -> Outcome { outcome(tree.match(method, path)) }

    @inlinable
    func outcome(_ outcome: RouteTree.Outcome) -> Outcome {
        switch outcome {
        case .found(let index, let bounds):
            .found(RouteMatch(payload: payloads[index], parameters: tree.parameters(of: index, bounds)))
        case .otherMethod(let methods): .otherMethod(methods.sorted)
        case .unknown: .unknown
        }
    }
}
