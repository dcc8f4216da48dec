public import Contract
public import HTTP
internal import Telemetry
public import Wire

/// One call of a client: the request, and what is known of it before its handler runs.
///
/// - Note: `@unchecked Sendable` because nothing of it changes; the class that it inherits from asks for the word.
public final class Call: CallContext, @unchecked Sendable {
    private let origin: CallOrigin
    let client: ClientKey
    private let match: RouteTable.Match?

    init(_ origin: CallOrigin, from client: ClientKey, to match: RouteTable.Match?, ids: IDSource) {
        self.origin = origin
        self.client = client
        self.match = match
        super.init(
            id: origin.requestID ?? RequestID(from: ids), trace: TraceContext(of: origin.request, from: ids))
    }

    /// Nil where there is none.
    var route: ServedRoute? { match?.payload }
    public var request: Request { origin.request }
    /// How the caller's app speaks; for a webhook, how nobody's does.
    public var profile: ClientProfile { client.profile }
    /// The API key that the call came with; empty for a webhook.
    public var key: String { client.text }
    /// Where the call comes from: the API gateway's word where it is trusted, else the peer itself.
    public var address: String { origin.address }
    /// Whether the client speaks TLS to the API gateway.
    public var isSecure: Bool { origin.isSecure }
    var bodyLimit: BodyLimit { route?.body ?? .fields }

    /// The path parameter `name` as an id; what cannot be one does not exist.
    public func id<Subject>(_ name: String) throws(Failure) -> ID<Subject> {
        ID(try pathNumber(name))
    }

    /// The number of an id, whoever's it is: known in full when this is compiled, it is read without looking types up.
    private func pathNumber(_ name: String) throws(Failure) -> Int64 {
        let number = match.flatMap { match in
            request.withParameter(name, of: match.parameters) { ID<Call>(parsing: $0)?.rawValue }
        }
        guard let number else { throw .notFound }
        return number
    }

    /// The path parameter `name`, percent-decoded; what is no UTF-8 does not exist.
    public func text(_ name: String) throws(Failure) -> String {
        guard let text = match?.parameters[name, in: request.path], let decoded = PercentEncoding.decode(text) else {
            throw .notFound
        }
        return decoded
    }

    /// The path parameter `name` as it was sent.
    public func raw(_ name: String) throws(Failure) -> ArraySlice<UInt8> {
        guard let text = match?.parameters[name, in: request.path] else { throw .notFound }
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
