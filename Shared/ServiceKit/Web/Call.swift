public import Contract
public import HTTP
public import Telemetry
public import Wire

/// One call of a client: the request, and what is known of it before its handler runs.
public struct Call: Sendable {
    let origin: CallOrigin
    let client: ClientKey
    /// Stands in the logs of all services that the call touches.
    public let id: RequestID
    let match: RouteTable.Match
    let uploads: (any FileStore)?

    public var request: Request { origin.request }
    /// How the caller's app speaks; for a webhook, how nobody's does.
    public var profile: ClientProfile { client.profile }
    /// The API key that the call came with; empty for a webhook.
    public var key: String { client.text }
    /// Where the call comes from: the API gateway's word where it is trusted, else the peer itself.
    public var address: String { origin.address }
    /// Whether the client speaks TLS to the API gateway.
    public var isSecure: Bool { origin.isSecure }
    var bodyLimit: BodyLimit { match.payload.body }
    private var parameters: PathParameters { match.parameters }

    /// The path parameter `name` as an id; what cannot be one does not exist.
    public func id<Subject>(_ name: String) throws(Failure) -> ID<Subject> {
        guard let text = parameters[name], let id = ID<Subject>(parsing: text.span) else { throw .notFound }
        return id
    }

    /// The path parameter `name`, percent-decoded; what is no UTF-8 does not exist.
    public func text(_ name: String) throws(Failure) -> String {
        guard let text = parameters[name], let decoded = PercentEncoding.decode(text) else { throw .notFound }
        return decoded
    }

    /// The path parameter `name` as it was sent.
    public func raw(_ name: String) throws(Failure) -> ArraySlice<UInt8> {
        guard let text = parameters[name] else { throw .notFound }
        return text
    }

    /// The first query parameter of this name, decoded; nil where there is none.
    public func query(_ name: String) throws(Failure) -> String? {
        guard let query = request.query, !query.isEmpty else { return nil }
        guard let parsed = QueryParameters(query) else { throw .invalid("The query is not valid.") }
        return parsed[name]
    }

    /// A query parameter that is a whole number within `range`; nil where there is none.
    public func number(_ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
        guard let text = try query(name), !text.isEmpty else { return nil }
        guard let number = Int(text), range.contains(number) else { throw .invalid("\(name) is out of range.") }
        return number
    }
}
