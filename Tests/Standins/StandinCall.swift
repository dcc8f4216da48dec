import HTTP
import Wire

/// A request to a stand-in.
struct StandinCall: Sendable {
    let request: Request
    let parameters: PathParameters

    private static let longestBody = 1 << 20

    /// The credential after a scheme such as `Bearer`.
    func credential(_ scheme: String) -> String? {
        guard let field = request.headers.text(.authorization), field.hasPrefix(scheme + " ") else { return nil }
        return String(field.dropFirst(scheme.count + 1))
    }

    func parameter(_ name: String) throws -> String {
        guard let text = parameters[name, in: request.path].flatMap({ PercentEncoding.decode($0) }) else {
            throw StandinRefusal.malformed
        }
        return text
    }

    func query() throws -> QueryParameters {
        guard let query = request.query else { return QueryParameters() }
        guard let parsed = QueryParameters(query) else { throw StandinRefusal.malformed }
        return parsed
    }

    func body() async throws -> [UInt8] { try await request.body.collect(upTo: Self.longestBody) }

    func json() async throws -> JSONValue {
        guard let json = try? JSONValue(parsing: try await body()), json.kind == .object else {
            throw StandinRefusal.malformed
        }
        return json
    }

    func form() async throws -> QueryParameters {
        guard let form = QueryParameters(try await body()[...]) else { throw StandinRefusal.malformed }
        return form
    }
}

/// An error reply to a call.
struct StandinRefusal: Error {
    let response: Response

    /// The reply to a malformed call of a test.
    static let malformed = StandinRefusal(
        response: .standin(.badRequest) { $0.field("error", "the stand-in cannot read this call") })
}

extension Response {
    /// A JSON object.
    static func standin(_ status: Status = .ok, _ members: (inout JSONWriter) -> Void) -> Response {
        .json(JSONWriter.bytes { $0.object(members) }, status)
    }
}
