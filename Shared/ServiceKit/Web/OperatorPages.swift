internal import EventLoop
internal import HTTP
internal import Telemetry
internal import Wire

/// The pages for operators and their tools: health, readiness, metrics and version.
struct OperatorPages: Sendable {
    let name: String
    let log: Log
    let readiness: Readiness
    let metrics: MetricsRegistry
    /// Lines of the readiness page for a service that is ready.
    let warnings: [String]
    /// Writes the metrics page, which can be long.
    let pool: BlockingPool

    func page(for request: Request) async -> Response? {
        guard request.method == .get || request.method == .head else { return nil }
        switch String(decoding: request.path, as: UTF8.self) {
        case "/healthz": return Response(type: "text/plain", Array("ok\n".utf8))
        case "/readyz": return await ready()
        case "/metrics": return await metricsPage()
        case "/version": return version
        default: return nil
        }
    }

    private var version: Response {
        .json(
            JSONWriter.bytes { json in
                json.object { json in
                    json.field("service", name)
                    json.field("version", Build.version)
                    json.field("swift", Build.swift)
                    json.field("optimized", Build.isOptimized)
                }
            })
    }

    private func metricsPage() async -> Response {
        guard let page = try? await pool.run({ [metrics] in metrics.page() }) else {
            return Response(.serviceUnavailable, type: "text/plain", Array("busy\n".utf8))
        }
        var response = Response(body: .bytes(page))
        response.headers.append(.contentType, MetricsPage.contentType)
        return response
    }

    private func ready() async -> Response {
        let problems = await readiness.problems()
        if problems.isEmpty {
            let lines = ["ready"] + warnings
            return Response(type: "text/plain", Array(lines.map { "\($0)\n" }.joined().utf8))
        }
        return Response(
            .serviceUnavailable, type: "text/plain", Array("not ready: \(problems.joined(separator: ", "))\n".utf8))
    }
}
