public import Contract
public import HTTP
public import Wire

/// The routes of a service for other services.
public struct InternalRoutes {
    /// Handles a call of another service.
    public typealias Handler = @Sendable (InternalCall) async throws -> Response

    struct Route: Sendable {
        let template: String
        let handler: Handler
    }

    private(set) var router = Router<Route>()
    /// Every route as `METHOD template`.
    public private(set) var listing: [String] = []

    init() {}

    /// Adds a route. The service credential is checked before `handler` runs.
    public mutating func add(_ method: Method, _ template: String, _ handler: @escaping Handler) {
        router.add(method, template, Route(template: template, handler: handler))
        listing.append("\(method.rawValue) \(template)")
    }
}

/// A call of another service.
public struct InternalCall: Sendable {
    public let request: Request
    let parameters: PathParameters

    /// The most ids in one bulk call.
    public static let bulkLimit = 1000
    /// The list of a user's channels, for the start of a `/me` socket, can exceed a megabyte.
    private static let bodyLimit = 8 * 1024 * 1024

    /// The path parameter `name` as an id.
    public func id<Subject>(_ name: String) throws(Failure) -> ID<Subject> {
        guard let text = parameters[name, in: request.path], let id = ID<Subject>(parsing: text.span) else {
            throw .notFound
        }
        return id
    }

    /// The path parameter `name`, percent-decoded.
    public func text(_ name: String) throws(Failure) -> String {
        guard let text = parameters[name, in: request.path], let decoded = PercentEncoding.decode(text) else {
            throw .notFound
        }
        return decoded
    }

    /// The query parameter `name`, decoded.
    public func query(_ name: String) throws(Failure) -> String? {
        guard let query = request.query, !query.isEmpty else { return nil }
        guard let parsed = QueryParameters(query) else { throw .invalid("The query is not valid.") }
        return parsed[name]
    }

    /// The query parameter `name` as a whole number within `range`; nil if there is none.
    public func number<Value: FixedWidthInteger>(
        _ name: String, in range: ClosedRange<Value>
    ) throws(Failure) -> Value? {
        guard let text = try query(name) else { return nil }
        guard let number = Value(text), range.contains(number) else { throw .invalid("\(name) is out of range.") }
        return number
    }

    /// The query parameter `name` as an id.
    public func queryID<Subject>(_ name: String) throws(Failure) -> ID<Subject> {
        guard let id = try query(name).flatMap(ID<Subject>.init) else { throw .invalid("\(name) is missing.") }
        return id
    }

    /// The body as JSON, at most 8 MiB.
    public func json() async throws -> JSONValue {
        try JSONValue(parsing: try await request.body.collect(upTo: Self.bodyLimit))
    }

    /// The parameters of the call, for a typed request to read; the body is 8 MiB at most.
    func reader(hasBody: Bool) async throws -> InternalRequestReader {
        try InternalRequestReader(
            path: request.path, parameters: parameters, query: request.query,
            body: hasBody ? try await request.body.collect(upTo: Self.bodyLimit) : nil)
    }

    /// A reply with the JSON value that `write` writes.
    public func reply(capacity: Int = 512, _ write: (inout JSONWriter) -> Void) -> Response {
        .json(JSONWriter.bytes(capacity: capacity, write))
    }

    /// A reply with a list in the member `name`.
    public func list<Item>(
        _ name: StaticString, _ items: [Item], _ write: (Item, inout JSONWriter) -> Void
    ) -> Response {
        reply(capacity: 4096) { json in
            json.object { json in json.array(name) { json in for item in items { write(item, &json) } } }
        }
    }

    /// The reply of a successful call without content.
    public func done() -> Response { .json(Array("{}".utf8)) }
}

extension JSONValue {
    /// A required member: an id in decimal text.
    public func id<Subject>(_ name: StaticString) throws(Failure) -> ID<Subject> {
        guard let id = self[name]?.string.flatMap(ID<Subject>.init) else { throw .invalid("\(name) is not valid.") }
        return id
    }

    /// A member that is a list of ids, at most `InternalCall.bulkLimit`; empty if it is absent.
    public func ids<Subject>(_ name: StaticString) throws(Failure) -> [ID<Subject>] {
        guard let elements = self[name]?.elements else { return [] }
        let ids = elements.map { $0.string.flatMap(ID<Subject>.init) }
        guard ids.count <= InternalCall.bulkLimit, !ids.contains(nil) else { throw .invalid("\(name) is not valid.") }
        return ids.compactMap { $0 }
    }
}
