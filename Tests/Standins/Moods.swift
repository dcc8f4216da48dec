import EventLoop
import HTTP
import Synchronization
import Wire

/// How providers behave when they do not behave: `POST /standins/mood {provider, answer?, delayMs?, times?}`.
///
/// `answer` is `well`, `refuse` (503) or `nonsense` (200 with what is no JSON); without `times` it holds until the next.
final class Moods: Sendable {
    enum Answer: String, Sendable {
        case well, refuse, nonsense
    }

    struct Mood: Sendable {
        var answer = Answer.well
        var delay = Duration.zero
        /// Calls that it is for; nil for all.
        var times: Int?
    }

    private let moods = Mutex([Provider: Mood]())
    private static let longestDelay = 120_000

    func register(in routes: inout StandinRoutes) {
        routes.control(.post, "/standins/mood", change)
    }

    func set(_ mood: Mood, of provider: Provider) { moods.withLock { $0[provider] = mood } }

    private func change(_ call: StandinCall) async throws -> Response {
        let json = try await call.json()
        let answer = json["answer"].map { Answer(rawValue: $0.string ?? "") } ?? .well
        guard let provider = json["provider"]?.string.flatMap(Provider.init), let answer,
            case let delay = json["delayMs"]?.int ?? 0, (0...Self.longestDelay).contains(delay)
        else { throw StandinRefusal.malformed }
        set(Mood(answer: answer, delay: .milliseconds(delay), times: json["times"]?.int), of: provider)
        return .standin { _ in }
    }

    /// Waits as long as the provider's mood has it, and returns what it answers in place of the right thing.
    func reply(of provider: Provider) async throws -> Response? {
        let mood = moods.withLock { moods in
            guard let mood = moods[provider], mood.times != 0 else { return Mood() }
            if let times = mood.times { moods[provider]?.times = times - 1 }
            return mood
        }
        if mood.delay > .zero { try await EventLoop.current?.sleep(for: mood.delay) }
        return switch mood.answer {
        case .well: nil
        case .refuse: Response(.serviceUnavailable, type: "text/html", Array("<h1>Service Unavailable</h1>".utf8))
        case .nonsense: Response(type: "application/json", Array("{\"id\": 12, <html".utf8))
        }
    }
}
