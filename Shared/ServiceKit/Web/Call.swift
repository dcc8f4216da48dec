public import Contract
public import HTTP
public import Telemetry
public import Wire

/// One call of a client: the request, its client profile and its route.
///
/// - Note: `@unchecked Sendable` because nothing in it changes; a subclass of a Sendable class must repeat the attribute.
public final class Call: CallContext, @unchecked Sendable {
    private let origin: CallOrigin
    let client: ClientKey
    private let match: RouteTable.Match?
    /// The spans of the call; nil if it is not traced.
    let recording: CallTrace?

    init(_ origin: CallOrigin, from client: ClientKey, to match: RouteTable.Match?, ids: IDSource, tracer: Tracer?) {
        self.origin = origin
        self.client = client
        self.match = match
        let id = origin.requestID ?? RequestID(from: ids)
        let parent = origin.request.traceParent
        recording = tracer.flatMap { tracer in
            tracer.choose(parent, request: id).map { first in
                CallTrace(
                    origin.request, to: match?.payload.template ?? "none", id: id, as: first, below: parent,
                    gatewayStart: origin.gatewayStart, by: tracer)
            }
        }
        // A call that is not recorded here is not recorded by the other services either.
        let passed = parent?.child(from: ids, isSampled: tracer == nil && parent?.isSampled == true)
        super.init(id: id, trace: passed, recorder: recording?.recorder)
    }

    /// Nil if no route matches.
    var route: ServedRoute? { match?.payload }
    public var request: Request { origin.request }
    /// The client profile of the API key; for a webhook, a neutral one.
    public var profile: ClientProfile { client.profile }
    /// The API key of the call; empty for a webhook.
    public var key: String { client.text }
    /// The client's address: from a trusted API gateway, else the peer's own.
    public var address: String { origin.address }
    /// Whether the client uses TLS to the API gateway.
    public var isSecure: Bool { origin.isSecure }
    var bodyLimit: BodyLimit { route?.body ?? .fields }

    /// The path parameter `name` as an id; a text that is not an id is "not found".
    public func id<Subject>(_ name: String) throws(Failure) -> ID<Subject> {
        ID(try pathNumber(name))
    }

    /// The number of an id of any type. It is not generic, so that no type is looked up at run time.
    private func pathNumber(_ name: String) throws(Failure) -> Int64 {
        let number = match.flatMap { match in
            request.withParameter(name, of: match.parameters) { ID<Call>(parsing: $0)?.rawValue }
        }
        guard let number else { throw .notFound }
        return number
    }

    /// The path parameter `name`, percent-decoded; a text that is not UTF-8 is "not found".
    public func text(_ name: String) throws(Failure) -> String {
        guard let text = match?.parameters[name, in: request.path], let decoded = PercentEncoding.decode(text) else {
            throw .notFound
        }
        return decoded
    }

    /// The path parameter `name`, not decoded.
    public func raw(_ name: String) throws(Failure) -> ArraySlice<UInt8> {
        guard let text = match?.parameters[name, in: request.path] else { throw .notFound }
        return text
    }

    /// The first query parameter of this name, decoded; nil if there is none.
    public func query(_ name: String) throws(Failure) -> String? {
        guard let query = request.query, !query.isEmpty else { return nil }
        guard let parsed = QueryParameters(query) else { throw .invalid("The query is not valid.") }
        return parsed[name]
    }

    /// A query parameter that is a whole number within `range`; nil if it is absent or empty.
    public func number(_ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
        guard let text = try query(name), !text.isEmpty else { return nil }
        guard let number = Int(text), range.contains(number) else { throw .invalid("\(name) is out of range.") }
        return number
    }
}
