import HTTP
import Wire

@testable import Contract

/// A call as its client writes it.
struct WrittenCall {
    /// The path with its query.
    let target: String
    let body: [UInt8]

    var path: String { String(target.prefix { $0 != "?" }) }
    var query: String? { target.contains("?") ? String(target.drop { $0 != "?" }.dropFirst()) : nil }

    /// The names of the query parameters, in order.
    var queryNames: [String] {
        query?.split(separator: "&").map { String($0.prefix { $0 != "=" }) } ?? []
    }
}

extension InternalRequest {
    /// The call as its client writes it.
    var written: WrittenCall {
        var writer = InternalRequestWriter(Self.route)
        write(to: &writer)
        return WrittenCall(target: writer.path, body: writer.body)
    }

    /// The call as the service reads it; nil if the call does not reach its route.
    ///
    /// - Parameter adding: a member that the body has beside those that the client writes.
    func readBack(adding member: String? = nil) throws -> Self? {
        let call = written
        var router = Router<Void>()
        router.add(Self.route.method, Self.route.template, ())
        let path = Array(call.path.utf8)[...]
        guard case .found(let match) = router.match(Self.route.method, path) else { return nil }
        let body = member.map { JSONText.adding($0, to: call.body) } ?? call.body
        return try Self(
            reading: InternalRequestReader(
                path: path, parameters: match.parameters, query: call.query.map { Array($0.utf8)[...] },
                body: body))
    }
}

enum JSONText {
    /// An object of JSON with one more member at its beginning.
    static func adding(_ member: String, to object: [UInt8]) -> [UInt8] {
        guard object.first == UInt8(ascii: "{") else { return object }
        let rest = object.dropFirst()
        let comma = rest.first == UInt8(ascii: "}") ? "" : ","
        return Array(("{" + member + comma).utf8) + rest
    }
}
