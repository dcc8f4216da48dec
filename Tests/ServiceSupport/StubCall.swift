internal import HTTP
internal import Synchronization
public import Wire

/// A call of the service under test to its peers.
public struct StubCall: Sendable {
    public let method: String
    /// The path, such as `/internal/channels/7/join`.
    public let path: String
    /// The segments of the path: `internal`, `channels`, `7` and `join`.
    public let parts: [String]
    public let body: [UInt8]
    /// The body; nil if it is not JSON.
    public let json: JSONValue?
    /// The header `traceparent`.
    public let traceParent: String?
    /// A number that is unique in this process.
    public let serial: Int
    private let query: QueryParameters?

    private static let count = Atomic(0)

    init(_ request: Request, _ body: [UInt8]) {
        method = request.method.rawValue
        path = String(decoding: request.path, as: UTF8.self)
        parts = path.split(separator: "/").map(String.init)
        query = QueryParameters(request.query ?? [])
        self.body = body
        traceParent = request.headers.text("traceparent")
        serial = Self.count.add(1, ordering: .relaxed).newValue
        json = try? JSONValue(parsing: body)
    }

    /// The second and the last segment of the path: `channels` and `join`.
    public var subject: (String, String) { (parts.count > 1 ? parts[1] : "", parts.last ?? "") }

    /// The id in the third segment of the path; 0 if there is none.
    public var number: Int64 { parts.count > 2 ? Int64(parts[2]) ?? 0 : 0 }

    /// A parameter of the query.
    public func parameter(_ name: String) -> String? { query?[name] }

    /// A text of the body.
    public func text(_ name: String) -> String? { json?[named: name]?.string }

    /// An id of the body.
    public func id(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }

    /// Texts of the body.
    public func texts(_ name: String) -> [String] { json?[named: name]?.elements?.compactMap(\.string) ?? [] }

    /// Ids of the body.
    public func ids(_ name: String) -> [Int64] { texts(name).compactMap { Int64($0) } }
}
