internal import EventLoop
public import HTTP
public import Telemetry

/// The HTTP client for one outside provider, such as Kakao. It counts and times each call by its outcome.
public struct ProviderHTTP: Sendable {
    private let http: HTTPClient
    private let answered, refused, failed, unreachable: Histogram

    /// - Parameter provider: a label of the metric, such as `kakao`.
    public init(_ http: HTTPClient, provider: String, metrics: MetricsRegistry) {
        self.http = http
        func histogram(_ outcome: String) -> Histogram {
            metrics.histogram(
                "maru_provider_seconds", "Calls to outside providers, by provider and outcome.",
                labels: ["provider": provider, "outcome": outcome])
        }
        answered = histogram("answered")
        refused = histogram("refused")
        failed = histogram("failed")
        unreachable = histogram("unreachable")
    }

    /// Sends one request.
    ///
    /// - Parameter policy: decides on retries, which count and time as one call; none by default.
    public func send(
        _ request: HTTPClient.Request, retrying policy: RetryPolicy = RetryPolicy(maximumAttempts: 1)
    ) async throws(HTTPClient.Failure) -> HTTPClient.Reply {
        let start = EventLoop.preciseNow
        do throws(HTTPClient.Failure) {
            let reply = try await http.send(request, retrying: policy)
            outcome(of: reply.status).observe(EventLoop.preciseNow - start)
            return reply
        } catch {
            unreachable.observe(EventLoop.preciseNow - start)
            throw error
        }
    }

    /// A provider that has too many requests has failed; any other refusal is an answer about the request.
    private func outcome(of status: Status) -> Histogram {
        switch status.code {
        case 429, 500...: failed
        case 400...: refused
        default: answered
        }
    }
}

extension ServiceBuilder {
    /// The HTTP client for a provider, with metrics.
    public func provider(_ name: String) -> ProviderHTTP { ProviderHTTP(http, provider: name, metrics: metrics) }

    /// The limits of the service's HTTP client.
    public var httpConfiguration: HTTPClient.Configuration { Self.httpConfiguration(config) }

    static func httpConfiguration(_ config: Config) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.connectTimeout = config[CommonSettings.connectTimeout]
        return configuration
    }

    /// An HTTP client with limits of its own. It is closed with the service.
    public func ownHTTP(_ configuration: HTTPClient.Configuration) -> HTTPClient {
        let client = HTTPClient(on: loops, configuration: configuration)
        life.atEnd.append { client.close() }
        return client
    }
}
