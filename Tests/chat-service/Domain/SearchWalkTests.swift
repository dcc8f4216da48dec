import Contract
import Search
import Testing
import Wire

@testable import chat_service

@Suite("Walk and ranking of a search")
struct SearchWalkTests {
    @Test("A search that runs out of time keeps its matches and can be continued where it ended")
    func outOfTime() throws {
        // The query excludes most of the candidates.
        let messages = (1...100).reversed().map { message($0, $0 % 10 == 0 ? "회의" : "회의 취소") }
        var walk = walk(request("회의 -취소"), wanted: 20)
        walk.take(messages.prefix(30).map(SearchCursor.init), messages)
        walk.runOutOfTime()
        #expect(!walk.isComplete)
        #expect(walk.matches.map(\.message.seq) == [100, 90, 80])
        let page = MessageSearch.page(of: walk, request("회의"), for: UserID(1))
        #expect(page.next?.cursor == SearchCursor(messages[29]))
        #expect(page.next.flatMap { SearchPageStart($0.text) } == page.next)
    }

    @Test("A search that runs out of time before its next look continues from there")
    func outOfTimeBetween() {
        var walk = walk(request("회의"), wanted: 20)
        for _ in 1...2 { walk.take([], []) }
        walk.runOutOfTime()
        let page = MessageSearch.page(of: walk, request("회의"), for: UserID(1))
        #expect(page.next != nil && page.next.flatMap { SearchPageStart($0.text) } == page.next)
    }

    @Test("A cursor of a moment that no text has is refused", arguments: [Int64.min, -1 << 60, 1 << 60, .max])
    func impossibleMoment(_ moment: Int64) { #expect(SearchPageStart("\(moment).channel-1.1") == nil) }

    @Test("A search without time for its first look has nothing to continue from")
    func noTime() {
        var walk = walk(request("회의"), wanted: 20)
        walk.runOutOfTime()
        #expect(!walk.isComplete && walk.matches.isEmpty && walk.next == nil)
    }

    @Test("The newest entries come first; then more of them for a frequent word, or the grams for a rare one")
    func methods() {
        let messages = (1...100).reversed().map { message($0, "회의") }
        var walk = walk(request("회의"), wanted: 20)
        #expect(look(of: walk)?.method == .newest(entries: SearchWalk.firstEntries))
        #expect(look(of: walk)?.limit == 30)
        walk.take(messages.prefix(4).map(SearchCursor.init), messages)
        #expect(look(of: walk)?.method == .newest(entries: SearchWalk.mostEntries))
        walk.take(messages[4..<10].map(SearchCursor.init), messages)
        #expect(look(of: walk)?.method == .grams)
        #expect(look(of: walk)?.before == SearchCursor(messages[9]))
        walk.take(messages[10..<40].map(SearchCursor.init), messages)
        #expect(walk.state == .full && walk.next == SearchCursor(messages[19]))
    }

    @Test("A syllable that no message has excludes messages with its consonants, unless it goes on in the next one")
    func rareSyllable() throws {
        let conditions = SearchConditions(request("뷁"), rooms: [RoomID(ChannelID(1))])
        let alternatives = try #require(conditions.any.first)
        func isFound(_ text: String) -> Bool {
            let grams = Set(SearchGrams(workspace: 3).all(of: SearchText(text)))
            return alternatives.contains(where: grams.isSuperset)
        }
        #expect(!isFound("보고서는 내일까지 부탁드립니다"))
        #expect(isFound("뷁") && isFound("뷀가"))
    }

    @Test("Periods are read from the newest: that of the present, three more, and the rest")
    func spans() {
        var walk = walk(request("회의"), wanted: 20)
        walk.take([], [])
        var froms: [Int64?] = []
        while let look = look(of: walk) {
            froms.append(look.from.map { ($0.milliseconds - Self.period) / 86_400_000 })
            #expect(look.method == .grams)
            walk.take([], [])
        }
        #expect(froms == [0, -90, nil])
        #expect(walk.state == .exhausted && walk.next == nil && walk.isComplete)
    }

    @Test("A query without grams checks all entries")
    func noGrams() {
        var walk = SearchWalk(request("ㅎ"), wanted: 20, hasGrams: false, now: Timestamp(milliseconds: Self.period))
        for _ in 0..<3 {
            #expect(look(of: walk)?.method == .all)
            walk.take([], [])
        }
        #expect(walk.state == .exhausted)
    }

    /// Queries, and contents from the best to the last. Equal ones are in the order of the newest.
    static let orders: [(String, [String])] = [
        ("다음 회의", ["다음 회의는 언제", "회의를 다음 주에", "그다음엔 재회의"]),
        ("회의", ["정기 (회의)", "회의를 합니다", "재회의"]),
        ("ㅎㅇ", ["회의실", "재회의실"]),
        ("api", ["the API.", "apis", "rapid"]),
        ("\"내일 봐요\"", ["내일 봐요", "내일 봐요요", "모내일 봐요"]),
    ]

    @Test("Best puts phrases before words, words before their parts, and whole words first", arguments: orders)
    func texts(_ query: String, _ contents: [String]) throws {
        // The newest would come first if nothing else counted.
        let messages = contents.enumerated().map { message($0.offset + 1, $0.element) }
        #expect(try ranked(messages.reversed(), query).map(\.content) == contents)
    }

    @Test("Of equal texts, own messages come first, then those of DMs and of rooms with own matches, then newer ones")
    func owners() throws {
        let (channel, other, dm) = (RoomID(ChannelID(7)), RoomID(ChannelID(8)), RoomID(DMID(1)))
        let messages = [
            message(6, "회의", in: other, by: 2), message(5, "회의", in: dm, by: 2), message(4, "회의", in: channel, by: 2),
            message(3, "회의", in: channel, by: 1),
        ]
        #expect(try ranked(messages, "회의").map(\.seq) == [3, 5, 4, 6])
        let aged = [(9, 0), (8, 2), (7, 9), (6, 99)].map { message($0.0, "회의", daysAgo: $0.1) }
        #expect(try ranked(aged, "회의").map(\.seq) == [9, 8, 7, 6])
        // A better text outweighs the age.
        let better = [message(9, "재회의"), message(8, "회의", daysAgo: 99)]
        #expect(try ranked(better, "회의").map(\.seq) == [8, 9])
    }

    @Test("Of equal texts, messages of threads that the caller follows come first, the root as well as its replies")
    func threads() throws {
        let room = RoomID(ChannelID(7))
        let messages = [message(9, "회의"), message(8, "회의", thread: 3), message(5, "회의"), message(3, "회의")]
        #expect(try ranked(messages, "회의").map(\.seq) == [9, 8, 5, 3])
        let followed = try ranked(
            messages, "회의", following: [MessageKey(RoomKey(workspace: WorkspaceID(3), id: room), seq: 3)])
        #expect(followed.map(\.seq) == [8, 3, 9, 5])
    }

    @Test(
        "Texts that are no beginning of a page are refused",
        arguments: [
            "", "1.channel-7", "1.channel-7.2.3", "1.x.2", "1.channel-7.-1", "1.channel-7.2.x.1.channel-7.2",
            "1.channel-7.2.3.1.channel-7.2.1.channel-7", "1.channel-7.9223372036854775807", "1.channel-7.2~~",
            "1.channel-7.2.3.1.channel-7.2~", "1.channel-7.2.3.1.channel-7.2~x~", "1.channel-7.2.3.1.channel-7.2~~dm-7",
            "1.channel-7.2.3.1.channel-7.2~" + String(repeating: "dm-1_", count: 17) + "~",
        ])
    func starts(_ text: String) {
        #expect(SearchPageStart(text) == nil)
    }

    /// The beginning of a period.
    private static let period = SearchPartitions.beginning(of: 655).milliseconds

    private func walk(_ request: SearchRequest, wanted: Int) -> SearchWalk {
        SearchWalk(request, wanted: wanted, hasGrams: true, now: Timestamp(milliseconds: Self.period + 86_400_000))
    }

    private func look(of walk: SearchWalk) -> SearchLook? {
        if case .looking(let look) = walk.state { look } else { nil }
    }

    private func request(_ query: String, _ order: SearchRequest.Order = .recent) -> SearchRequest {
        SearchRequest(workspace: WorkspaceID(3), query: SearchQuery(query), order: order, start: nil, limit: 20)
    }

    /// The messages in the order of `best`; all of them match.
    private func ranked(
        _ messages: [StoredMessage], _ query: String, following threads: Set<MessageKey> = []
    ) throws -> [StoredMessage] {
        let matches = try messages.map { try #require(SearchMatch($0, to: request(query, .best))) }
        let favors = SearchFavors(of: matches, for: UserID(1), following: threads)
        let ranking = SearchRanking(favors, for: UserID(1), newest: messages.first?.createdAt ?? .now)
        return ranking.ranked(matches).map(\.match.message)
    }

    private func message(
        _ seq: Int, _ content: String, in room: RoomID = RoomID(ChannelID(7)), by author: Int64 = 2, daysAgo: Int64 = 0,
        thread: Int64? = nil
    ) -> StoredMessage {
        StoredMessage(
            room: room, workspace: WorkspaceID(3), seq: Int64(seq), id: ChatID(Int64(seq)), author: UserID(author),
            session: SessionID(1), content: content, files: [],
            createdAt: Timestamp(milliseconds: Self.period + Int64(seq) - daysAgo * 86_400_000), clientID: nil,
            traits: thread.map { MessageTraits(thread: ReplyThread(root: $0, isInTimeline: false)) },
            details: MessageDetails(rev: 0, editedAt: nil, deletedAt: nil))
    }
}

extension SearchWalk {
    /// Takes all candidates of a look at once.
    fileprivate mutating func take(_ candidates: [SearchCursor], _ messages: [StoredMessage]) {
        check(candidates, messages)
        endLook(candidates.count)
    }
}
