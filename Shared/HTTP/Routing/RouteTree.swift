internal import Glibc

/// The templates of a router: finds the index of the route that a path belongs to.
///
/// All places, literals and routes stand in arrays of plain numbers, chained by index:
/// a search touches no reference count.
@usableFromInline struct RouteTree: Sendable {
    private struct Route {
        let method: Method
        var next: Int?
    }

    private struct Literal {
        /// Where its text stands in `texts`.
        let start: Int
        let count: Int
        let child: Int
        var next: Int?
    }

    /// First and last of a chain.
    private struct Chain {
        var first: Int?
        var last: Int?
    }

    /// A place in the tree of segments.
    private struct Node {
        var literals = Chain()
        var parameter: Int?
        /// Routes that end here.
        var routes = Chain()
        /// Routes whose rest begins here.
        var rests = Chain()
    }

    private var nodes = [Node()]
    private var literals: [Literal] = []
    private var texts: [UInt8] = []
    private var routes: [Route] = []
    /// Each route's, which a search does not touch.
    private var templates: [RouteTemplate] = []

    @usableFromInline init() {}

    mutating func add(_ method: Method, _ template: String) {
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
                place = addLiteral(Array(segment), to: place)
            }
        }
        precondition(names.count <= PathParameters.most, "too many parameters: \(template)")
        routes.append(Route(method: method))
        templates.append(RouteTemplate(template, names: names))
        append(to: place, endsInRest ? \.rests : \.routes)
    }

    /// Chains the last route.
    private mutating func append(to place: Int, _ chain: WritableKeyPath<Node, Chain>) {
        let added = routes.count - 1
        if let last = nodes[place][keyPath: chain].last { routes[last].next = added }
        nodes[place][keyPath: chain].last = added
        if nodes[place][keyPath: chain].first == nil { nodes[place][keyPath: chain].first = added }
    }

    private mutating func parameterChild(of place: Int) -> Int {
        if let child = nodes[place].parameter { return child }
        nodes.append(Node())
        nodes[place].parameter = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func addLiteral(_ text: [UInt8], to place: Int) -> Int {
        if let known = text.withUnsafeBytes({ literalChild($0, of: place) }) { return known }
        nodes.append(Node())
        literals.append(Literal(start: texts.count, count: text.count, child: nodes.count - 1))
        texts += text
        let added = literals.count - 1
        if let last = nodes[place].literals.last { literals[last].next = added }
        nodes[place].literals.last = added
        if nodes[place].literals.first == nil { nodes[place].literals.first = added }
        return nodes.count - 1
    }

    /// What was found; counts no reference either.
    @usableFromInline enum Outcome {
        /// A route, by the order in which they were added.
        case found(Int, PathParameters.Bounds)
        case otherMethod(MethodSet)
        case unknown
    }

    /// Where in a path that belongs to the route the parameters stand.
    @usableFromInline
    func parameters(of route: Int, _ bounds: PathParameters.Bounds) -> PathParameters {
        PathParameters(templates[route], bounds: bounds)
    }

    /// Finds the route of `path`.
    @usableFromInline
    func match(_ method: Method, _ path: ArraySlice<UInt8>) -> Outcome {
        path.withUnsafeBytes { match(method, $0) }
    }

    /// Finds the route of a request.
    @usableFromInline
    func match(_ request: Request) -> Outcome { request.storage.withPath { match(request.method, $0) } }

    private func match(_ method: Method, _ path: UnsafeRawBufferPointer) -> Outcome {
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

    /// Looks below `place` for what is left of `path` from `start` on.
    private func descend(
        _ place: Int, _ start: Int, _ path: UnsafeRawBufferPointer, _ search: inout Search
    ) {
        let end = Self.endOfSegment(in: path, from: start)
        let segment = UnsafeRawBufferPointer(rebasing: path[start..<end])
        let isLast = end == path.count
        if let child = literalChild(segment, of: place) {
            visit(child, isLast, end, path, &search)
            if search.found != nil { return }
        }
        if let child = nodes[place].parameter, !segment.isEmpty {
            search.bounds.set(search.depth, start, end)
            search.depth += 1
            visit(child, isLast, end, path, &search)
            if search.found != nil { return }
            search.depth -= 1
        }
        if let first = nodes[place].rests.first {
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

    private func literalChild(_ segment: UnsafeRawBufferPointer, of place: Int) -> Int? {
        texts.withUnsafeBytes { texts in
            var next = nodes[place].literals.first
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

/// Some methods, in one word.
@usableFromInline struct MethodSet {
    private var bits: UInt8 = 0

    var isEmpty: Bool { bits == 0 }

    /// In the order in which `Method` names them.
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
