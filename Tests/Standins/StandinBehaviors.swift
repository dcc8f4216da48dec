import EventLoop
import HTTP
import Synchronization
import Wire

/// Makes providers fail or answer late: `POST /standins/mood {provider, answer?, delayMs?, times?}`.
///
/// `answer` is `well`, `refuse` (503) or `nonsense` (200 with invalid JSON). Without `times` it holds until the next
/// change.
final class StandinBehaviors: Sendable {
    enum Answer: String, Sendable {
        case well, refuse, nonsense
    }

    struct Behavior: Sendable {
        var answer = Answer.well
        var delay = Duration.zero
        /// The number of calls that it applies to; nil for all.
        var times: Int?
    }

    private let behaviors = Mutex([Provider: Behavior]())
    private static let longestDelay = 120_000

    func register(in routes: inout StandinRoutes) {
        routes.control(.post, "/standins/mood", change)
    }

    func set(_ behavior: Behavior, of provider: Provider) { behaviors.withLock { $0[provider] = behavior } }

    private func change(_ call: StandinCall) async throws -> Response {
        let json = try await call.json()
        let answer = json["answer"].map { Answer(rawValue: $0.string ?? "") } ?? .well
        guard let provider = json["provider"]?.string.flatMap(Provider.init), let answer,
            case let delay = json["delayMs"]?.int ?? 0, (0...Self.longestDelay).contains(delay)
        else { throw StandinRefusal.malformed }
        set(Behavior(answer: answer, delay: .milliseconds(delay), times: json["times"]?.int), of: provider)
        return .standin { _ in }
    }

    /// Waits for the provider's delay, and returns the reply that replaces the right one, if any.
    func reply(of provider: Provider) async throws -> Response? {
        let behavior = behaviors.withLock { behaviors in
            guard let behavior = behaviors[provider], behavior.times != 0 else { return Behavior() }
            if let times = behavior.times { behaviors[provider]?.times = times - 1 }
            return behavior
        }
        if behavior.delay > .zero { try await EventLoop.current?.sleep(for: behavior.delay) }
        return switch behavior.answer {
        case .well: nil
        case .refuse: Response(.serviceUnavailable, type: "text/html", Array("<h1>Service Unavailable</h1>".utf8))
        case .nonsense: Response(type: "application/json", Array("{\"id\": 12, <html".utf8))
        }
    }
}
