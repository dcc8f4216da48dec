import HTTP
import Synchronization
import Wire

/// An OpenTelemetry collector: takes spans by OTLP over HTTP in JSON, and refuses a request that is not exactly so encoded.
///
/// `GET /traces/sent` lists the requests that it has taken, and the reasons for which it has refused others.
final class CollectorStandin: Sendable {
    private struct State {
        var taken: [[UInt8]] = []
        var refusals: [String] = []
    }

    private let state = Mutex(State())
    private static let remembered = 10_000

    func register(in routes: inout StandinRoutes) {
        routes.add(.collector, .post, "/collector/v1/traces", take)
        routes.control(.get, "/traces/sent", sent)
    }

    /// Why requests were refused, oldest first.
    var refusals: [String] { state.withLock { $0.refusals } }
    /// The spans that were taken, oldest first.
    var spans: [JSONValue] {
        state.withLock(\.taken).compactMap { try? JSONValue(parsing: $0) }.flatMap { request in
            (request["resourceSpans"]?.elements?.map { $0 } ?? []).flatMap {
                $0["scopeSpans"]?.elements?.map { $0 } ?? []
            }
        }.flatMap { $0["spans"]?.elements?.map { $0 } ?? [] }
    }
    /// The number of requests that were taken.
    var count: Int { state.withLock { $0.taken.count } }

    private func take(_ call: StandinCall) async throws -> Response {
        let body = try await call.body()
        do throws(EncodingFault) {
            guard call.request.headers.text(.contentType) == "application/json" else {
                throw EncodingFault("the content type is not application/json")
            }
            try SpanRequestCheck.check(body)
        } catch {
            state.withLock { $0.refusals.append(error.reason) }
            return .standin(.badRequest) { json in
                json.field("code", 3)
                json.field("message", error.reason)
            }
        }
        state.withLock { state in
            if state.taken.count < Self.remembered { state.taken.append(body) }
        }
        return .standin { json in json.object("partialSuccess") { _ in } }
    }

    private func sent(_ call: StandinCall) throws -> Response {
        let state = state.withLock { $0 }
        return .standin { json in
            json.array("requests") { json in
                for body in state.taken { json.raw(body) }
            }
            json.field("refusals", state.refusals)
        }
    }
}
