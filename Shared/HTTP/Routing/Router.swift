/// Finds the route of a method and a path. Each route carries a payload of the layer above.
///
/// A template consists of literal segments, parameters such as `{id}`, which match one segment that is not empty, and
/// an optional last rest parameter such as `{path*}`, which matches the rest of the path, slashes included.
/// Literals win over parameters, and parameters over rests; of equal templates, the first one added wins.
/// Segments are compared as they were sent, not decoded, so `%2F` never separates two segments.
public struct Router<Payload: Sendable>: Sendable {
    /// The result of a search.
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

    /// Adds a route; an invalid template is a programming error and stops the process.
    public mutating func add(_ method: Method, _ template: String, _ payload: Payload) {
        tree.add(method, template)
        payloads.append(payload)
    }

    /// Finds the route of `path`, as it was sent; a HEAD request may match a GET route.
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
