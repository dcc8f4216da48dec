/// Finds the route of a method and a path. What a route *is* to the layer above stands in its payload.
///
/// A template is made of literal segments, parameters such as `{id}`, which take one segment that is not empty, and last of
/// all perhaps a rest such as `{path*}`, which takes what is left, slashes included. Literals come before parameters, and
/// these before rests; of equal templates, the one added first. Segments are compared as they were sent, undecoded, so
/// a `%2F` never parts two.
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

    private struct Route {
        let method: Method
        let template: String
        let names: [String]
        let payload: Payload
    }

    /// A place in the tree of segments; children and routes are given by their index.
    private struct Node {
        var literals: [(text: [UInt8], child: Int)] = []
        var parameter: Int?
        /// Routes that end here.
        var routes: [Int] = []
        /// Routes whose rest begins here.
        var rests: [Int] = []
    }

    private var nodes = [Node()]
    private var routes: [Route] = []

    /// A router without routes.
    public init() {}

    /// Adds a route; a template that cannot be is a mistake of the program and stops it.
    public mutating func add(_ method: Method, _ template: String, _ payload: Payload) {
        precondition(template.utf8.first == UInt8(ascii: "/") && method != .other, "no route: \(method) \(template)")
        var place = 0
        var names: [String] = []
        var endsInRest = false
        for segment in template.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            precondition(!endsInRest, "a rest is the last of a template: \(template)")
            if segment.first == UInt8(ascii: "{"), segment.last == UInt8(ascii: "}") {
                var name = segment.dropFirst().dropLast()
                endsInRest = name.last == UInt8(ascii: "*")
                if endsInRest { name = name.dropLast() }
                names.append(String(decoding: name, as: UTF8.self))
                if !endsInRest { place = parameterChild(of: place) }
            } else {
                place = literalChild(Array(segment), of: place)
            }
        }
        precondition(names.count <= PathParameters.most, "too many parameters: \(template)")
        routes.append(Route(method: method, template: template, names: names, payload: payload))
        if endsInRest {
            nodes[place].rests.append(routes.count - 1)
        } else {
            nodes[place].routes.append(routes.count - 1)
        }
    }

    private mutating func parameterChild(of place: Int) -> Int {
        if let child = nodes[place].parameter { return child }
        nodes.append(Node())
        nodes[place].parameter = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func literalChild(_ text: [UInt8], of place: Int) -> Int {
        if let known = nodes[place].literals.first(where: { $0.text == text }) { return known.child }
        nodes.append(Node())
        nodes[place].literals.append((text, nodes.count - 1))
        return nodes.count - 1
    }

    /// Finds the route of `path`, as it was sent, among those whose payload `isCandidate`; a HEAD takes a GET's.
    public func match(
        _ method: Method, _ path: ArraySlice<UInt8>, where isCandidate: (Payload) -> Bool = { _ in true }
    ) -> Outcome {
        guard path.count <= PathParameters.longestPath, path.first == UInt8(ascii: "/") else { return .unknown }
        var search = Search(wanted: method)
        path.withUnsafeBytes { descend(0, 1, $0, &search, isCandidate) }
        if let found = search.found {
            let route = routes[found]
            return .found(
                RouteMatch(
                    payload: route.payload, template: route.template,
                    parameters: PathParameters(names: route.names, path: path, bounds: search.bounds)))
        }
        guard !search.others.isEmpty else { return .unknown }
        return .otherMethod(Method.allCases.filter(search.others.contains))
    }

    private struct Search {
        let wanted: Method
        var bounds = PathParameters.Bounds()
        var depth = 0
        var found: Int?
        var others: Set<Method> = []
    }

    /// Looks below `place` for what is left of `path` from `start` on; true when found.
    private func descend(
        _ place: Int, _ start: Int, _ path: UnsafeRawBufferPointer, _ search: inout Search,
        _ isCandidate: (Payload) -> Bool
    ) {
        var end = start
        while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
        let segment = UnsafeRawBufferPointer(rebasing: path[start..<end])
        let isLast = end == path.count
        for literal in nodes[place].literals where literal.text.elementsEqual(segment) {
            visit(literal.child, isLast, end, path, &search, isCandidate)
            if search.found != nil { return }
        }
        if let child = nodes[place].parameter, !segment.isEmpty {
            search.bounds.set(search.depth, start, end)
            search.depth += 1
            visit(child, isLast, end, path, &search, isCandidate)
            if search.found != nil { return }
            search.depth -= 1
        }
        if !nodes[place].rests.isEmpty {
            search.bounds.set(search.depth, start, path.count)
            choose(among: nodes[place].rests, &search, isCandidate)
        }
    }

    private func visit(
        _ child: Int, _ isLast: Bool, _ end: Int, _ path: UnsafeRawBufferPointer, _ search: inout Search,
        _ isCandidate: (Payload) -> Bool
    ) {
        if isLast {
            choose(among: nodes[child].routes, &search, isCandidate)
        } else {
            descend(child, end + 1, path, &search, isCandidate)
        }
    }

    private func choose(among candidates: [Int], _ search: inout Search, _ isCandidate: (Payload) -> Bool) {
        var get: Int?
        for index in candidates where isCandidate(routes[index].payload) {
            let method = routes[index].method
            if method == search.wanted {
                search.found = index
                return
            }
            if method == .get, get == nil { get = index }
            search.others.insert(method)
        }
        if search.wanted == .head { search.found = get }
    }
}
