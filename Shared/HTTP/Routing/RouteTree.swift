internal import Glibc

/// The templates of a router: finds the index of the route that matches a path.
///
/// Nodes, literals and routes are arrays of plain numbers, linked by index: a search touches no reference count.
@usableFromInline struct RouteTree: Sendable {
    private struct Route {
        let method: Method
        var next: Int?
    }

    private struct Literal {
        /// The offset of its text in `texts`.
        let start: Int
        let count: Int
        let child: Int
        var next: Int?
    }

    /// The first and last index of a linked list.
    private struct Chain {
        var first: Int?
        var last: Int?
    }

    /// A node of the tree of segments.
    private struct Node {
        var literals = Chain()
        var parameter: Int?
        /// Routes that end here.
        var routes = Chain()
        /// Routes whose rest parameter begins here.
        var rests = Chain()
    }

    private var nodes = [Node()]
    private var literals: [Literal] = []
    private var texts: [UInt8] = []
    private var routes: [Route] = []
    /// The template of each route; a search does not read them.
    private var templates: [RouteTemplate] = []

    @usableFromInline init() {}

    mutating func add(_ method: Method, _ template: String) {
        precondition(
            template.utf8.first == UInt8(ascii: "/") && method != .other, "not a route: \(method) \(template)")
        var node = 0
        var names: [String] = []
        var endsInRest = false
        for segment in template.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            precondition(!endsInRest, "a rest parameter must be the last segment: \(template)")
            if segment.first == UInt8(ascii: "{"), segment.last == UInt8(ascii: "}") {
                var name = segment.dropFirst().dropLast()
                endsInRest = name.last == UInt8(ascii: "*")
                if endsInRest { name = name.dropLast() }
                names.append(String(decoding: name, as: UTF8.self))
                if !endsInRest { node = parameterChild(of: node) }
            } else {
                node = addLiteral(Array(segment), to: node)
            }
        }
        precondition(names.count <= PathParameters.most, "too many parameters: \(template)")
        routes.append(Route(method: method))
        templates.append(RouteTemplate(template, names: names))
        append(to: node, endsInRest ? \.rests : \.routes)
    }

    /// Links the last route.
    private mutating func append(to node: Int, _ chain: WritableKeyPath<Node, Chain>) {
        let added = routes.count - 1
        if let last = nodes[node][keyPath: chain].last { routes[last].next = added }
        nodes[node][keyPath: chain].last = added
        if nodes[node][keyPath: chain].first == nil { nodes[node][keyPath: chain].first = added }
    }

    private mutating func parameterChild(of node: Int) -> Int {
        if let child = nodes[node].parameter { return child }
        nodes.append(Node())
        nodes[node].parameter = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func addLiteral(_ text: [UInt8], to node: Int) -> Int {
        if let known = text.withUnsafeBytes({ literalChild($0, of: node) }) { return known }
        nodes.append(Node())
        literals.append(Literal(start: texts.count, count: text.count, child: nodes.count - 1))
        texts += text
        let added = literals.count - 1
        if let last = nodes[node].literals.last { literals[last].next = added }
        nodes[node].literals.last = added
        if nodes[node].literals.first == nil { nodes[node].literals.first = added }
        return nodes.count - 1
    }

    /// The result of a search; it holds no reference either.
    @usableFromInline enum Outcome {
        /// The index of a route, in the order in which routes were added.
        case found(Int, PathParameters.Bounds)
        case otherMethod(MethodSet)
        case unknown
    }

    /// The parameters of a matched path.
    @usableFromInline
    func parameters(of route: Int, _ bounds: PathParameters.Bounds) -> PathParameters {
        PathParameters(templates[route], bounds: bounds)
    }

    /// Finds the route that matches `path`.
    @usableFromInline
    func match(_ method: Method, _ path: ArraySlice<UInt8>) -> Outcome {
        path.withUnsafeBytes { match(method, $0) }
    }

    func match(_ method: Method, _ path: UnsafeRawBufferPointer) -> Outcome {
        guard path.count <= PathParameters.longestPath, path.first == UInt8(ascii: "/") else { return .unknown }
        var search = Search(wanted: method)
        descend(0, 1, path, &search)
        if let found = search.found { return .found(found, search.bounds) }
        return search.others.isEmpty ? .unknown : .otherMethod(search.others)
    }

    private struct Search {
        let wanted: Method
        var bounds = PathParameters.Bounds()
        var depth = 0
        var found: Int?
        var others = MethodSet()
    }

    /// Searches below `node` for the segments of `path` from `start` on.
    private func descend(
        _ node: Int, _ start: Int, _ path: UnsafeRawBufferPointer, _ search: inout Search
    ) {
        let end = Self.endOfSegment(in: path, from: start)
        let segment = UnsafeRawBufferPointer(rebasing: path[start..<end])
        let isLast = end == path.count
        if let child = literalChild(segment, of: node) {
            visit(child, isLast, end, path, &search)
            if search.found != nil { return }
        }
        if let child = nodes[node].parameter, !segment.isEmpty {
            search.bounds.set(search.depth, start, end)
            search.depth += 1
            visit(child, isLast, end, path, &search)
            if search.found != nil { return }
            search.depth -= 1
        }
        if let first = nodes[node].rests.first {
            search.bounds.set(search.depth, start, path.count)
            choose(from: first, &search)
        }
    }

    private static func endOfSegment(in path: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position + 8 <= path.count {
            let slashes = EightBytes(path, at: position).equal(to: UInt8(ascii: "/"))
            if slashes != 0 { return position + EightBytes.first(slashes) }
            position += 8
        }
        while position < path.count, path[position] != UInt8(ascii: "/") { position += 1 }
        return position
    }

    private func literalChild(_ segment: UnsafeRawBufferPointer, of node: Int) -> Int? {
        texts.withUnsafeBytes { texts in
            var next = nodes[node].literals.first
            while let index = next {
                let literal = literals[index]
                if literal.count == segment.count {
                    if segment.isEmpty { return literal.child }
                    if let text = texts.baseAddress, let wanted = segment.baseAddress,
                        memcmp(text + literal.start, wanted, segment.count) == 0
                    {
                        return literal.child
                    }
                }
                next = literal.next
            }
            return nil
        }
    }

    private func visit(
        _ child: Int, _ isLast: Bool, _ end: Int, _ path: UnsafeRawBufferPointer, _ search: inout Search
    ) {
        if isLast {
            if let first = nodes[child].routes.first { choose(from: first, &search) }
        } else {
            descend(child, end + 1, path, &search)
        }
    }

    private func choose(from first: Int, _ search: inout Search) {
        var get: Int?
        var next: Int? = first
        while let index = next {
            next = routes[index].next
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

/// A set of methods in one byte.
@usableFromInline struct MethodSet {
    private var bits: UInt8 = 0

    var isEmpty: Bool { bits == 0 }

    /// The methods in the order of `Method.allCases`.
    @usableFromInline var sorted: [Method] { Method.allCases.filter { bits & Self.bit($0) != 0 } }

    mutating func insert(_ method: Method) { bits |= Self.bit(method) }

    private static func bit(_ method: Method) -> UInt8 {
        switch method {
        case .get: 1
        case .head: 2
        case .post: 4
        case .put: 8
        case .patch: 16
        case .delete: 32
        case .options: 64
        case .other: 128
        }
    }
}
