import Wire

/// The course of a search through the candidates of the index, look by look, newest first.
///
/// It begins with the newest entries, which fill a page if the words are frequent. Otherwise it finds the rest by grams, in the
/// newest period first.
struct SearchWalk: Sendable {
    enum State: Sendable, Equatable {
        case looking(SearchLook)
        /// As many matches as wanted were found, or all of a ranking.
        case full
        /// There are no more candidates.
        case exhausted
        /// The time of the search ended before.
        case outOfTime
    }

    private let request: SearchRequest
    private let wanted: Int
    private let hasGrams: Bool
    /// The place of the last match on the pages of one ranking; nil on other pages. Matches that come or go since its first page let
    /// no older one in, and none out.
    private let end: SearchCursor?
    private let now: Timestamp
    /// The number of spans of time that were read to their ends.
    private var spans = 0
    private(set) var state = State.exhausted
    /// Newest first.
    private(set) var matches: [SearchMatch] = []
    /// The last candidate that was checked, or the place where the search begins.
    private(set) var cursor: SearchCursor

    /// Entries that the first look checks.
    static let firstEntries = 1000
    /// If the first look finds as many candidates as these, a longer one costs less than the grams.
    static let candidatesOfFrequentWords = 4
    static let mostEntries = 8000
    static let largestLimit = 2000

    /// - Parameters:
    ///   - wanted: the number of matches that end the walk.
    ///   - hasGrams: whether the index can find messages by a gram of the query.
    init(_ request: SearchRequest, wanted: Int, hasGrams: Bool, now: Timestamp = .now) {
        self.request = request
        self.wanted = wanted
        self.hasGrams = hasGrams
        self.now = now
        end = request.start?.ranked?.end
        cursor = request.start?.cursor ?? .newest
        look(by: hasGrams ? .newest(entries: Self.firstEntries) : .all, limit: firstLimit)
    }

    /// Whether every match up to the end of the walk is among the matches.
    var isComplete: Bool { state != .outOfTime }

    /// The place where the next page begins; nil if nothing is left. A search that ran out of time can be continued.
    var next: SearchCursor? {
        switch state {
        case .full: cursor
        case .outOfTime: cursor == .newest ? nil : cursor
        case .looking, .exhausted: nil
        }
    }

    /// Whether every match down to a place is among the matches; nil for the place after all messages.
    func hasReached(_ place: SearchCursor?) -> Bool {
        guard !isComplete else { return true }
        return place.map { !$0.isAfter(cursor) } ?? false
    }

    /// Takes the next candidates of a look, newest first, and those of their messages that still exist, in any order.
    mutating func check(_ candidates: some Sequence<SearchCursor>, _ messages: [StoredMessage]) {
        let texts = Dictionary(messages.map { (SearchCursor($0), $0) }) { first, _ in first }
        for candidate in candidates {
            if let end, candidate.isAfter(end) {
                cursor = end
                state = .full
                return
            }
            cursor = candidate
            guard let message = texts[candidate], let match = SearchMatch(message, to: request) else { continue }
            matches.append(match)
            if matches.count == wanted {
                state = .full
                return
            }
        }
    }

    /// Goes on after all candidates of a look were checked.
    ///
    /// - Parameter count: their number.
    mutating func endLook(_ count: Int) {
        if case .looking(let look) = state { goOn(after: look, count) }
    }

    /// Ends the walk because its time is over.
    mutating func runOutOfTime() {
        if case .looking = state { state = .outOfTime }
    }

    /// A few candidates more than wanted, because some may not match.
    private var firstLimit: Int { wanted + 10 }

    private mutating func goOn(after last: SearchLook, _ count: Int) {
        if count == last.limit { return look(by: last.method, limit: min(4 * last.limit, Self.largestLimit)) }
        switch last.method {
        case .newest(Self.firstEntries) where count >= Self.candidatesOfFrequentWords:
            look(by: .newest(entries: Self.mostEntries), limit: last.limit)
        case .newest:
            look(by: .grams, limit: firstLimit)
        case .grams, .all:
            guard let from = last.from else {
                state = .exhausted
                return
            }
            cursor = .before(from)
            spans += 1
            look(by: last.method, limit: last.limit)
        }
    }

    private mutating func look(by method: SearchLook.Method, limit: Int) {
        state = .looking(SearchLook(method: method, before: cursor, from: beginning, limit: limit))
    }

    /// The beginning of the span of the next look. The first span is the period of the cursor and the next one has three more;
    /// the last has everything, so that a rare word costs three looks however old the workspace is.
    private var beginning: Timestamp? {
        let period = SearchPartitions.period(of: min(cursor.createdAt, now))
        return switch spans {
        case 0: SearchPartitions.beginning(of: period)
        case 1: SearchPartitions.beginning(of: period - 3)
        default: nil
        }
    }
}
