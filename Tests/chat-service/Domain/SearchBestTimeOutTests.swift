import Contract
import Search
import Testing
import Wire

@testable import chat_service

@Suite("Pages of best at the end of their time")
struct SearchBestTimeOutTests {
    private static let room = RoomID(ChannelID(7))
    /// The root of a thread that the caller follows. Each third message is a reply in it.
    private static let root: Int64 = 3
    private static let followed: Set<MessageKey> = [
        MessageKey(RoomKey(workspace: WorkspaceID(3), id: room), seq: root)
    ]
    /// Texts that best puts in another order than the time.
    private static let contents = ["회의", "재회의", "정기 회의 자료", "회의를"]
    private static let begin: Int64 = 1_764_000_000_000

    /// The end of the time of a page.
    enum End: CaseIterable {
        /// While the candidates were read.
        case candidates
        /// After that, before the followed threads were read.
        case threads
    }

    @Test(
        "S4 A page of best that runs out of time shows no message twice and hides none",
        arguments: [0, 1, 2], End.allCases)
    func everyMessageOnce(_ page: Int, _ end: End) throws {
        let messages = (1...100).reversed().map(message)
        let seen = try pages(of: messages) { $0 == page ? end : nil }
        #expect(seen.count == messages.count)
        #expect(Set(seen) == Set(messages.map(\.seq)))
    }

    @Test("S4 A later page that has all matches of its ranking continues, although its time is over")
    func enoughMatches() throws {
        let messages = (1...100).reversed().map(message)
        // The first page ends after 30 candidates, the second one again, with threads that are known.
        let first = ranked(messages, start: nil, atMost: 30)
        let start = try #require(first.next)
        let second = ranked(messages, start: start, atMost: 30)
        #expect(first.matches.count == 8 && second.matches.count == 8)
        #expect(Set(first.matches.map(\.message.seq)).isDisjoint(with: second.matches.map(\.message.seq)))
        // With fewer candidates than before it shows nothing, and is asked for again.
        let third = ranked(messages, start: second.next, atMost: 20)
        #expect(third.matches.isEmpty && third.next == second.next)
    }

    @Test("The more words a query has, the fewer messages are compared before the loop serves others")
    func work() {
        let words = SearchQuery((0..<100).map { "w\($0)" }.joined(separator: " "))
        #expect(MessageSearch.messagesAtOnce(SearchQuery("회의 자료")) == 100)
        #expect(words.terms.count * MessageSearch.messagesAtOnce(words) <= 800)
        #expect(MessageSearch.messagesAtOnce(SearchQuery("")) == 100)
    }

    /// The seqs on all pages, read through the texts of their cursors.
    private func pages(of messages: [StoredMessage], _ end: (_ page: Int) -> End?) throws -> [Int64] {
        var (seen, start, count): ([Int64], SearchPageStart?, Int) = ([], nil, 0)
        repeat {
            let request = request(start)
            let page =
                switch end(count) {
                case .candidates?:
                    MessageSearch.page(
                        of: walk(messages, request, atMost: 30), request, for: UserID(1), following: nil)
                case .threads?:
                    MessageSearch.page(of: walk(messages, request), request, for: UserID(1), following: nil)
                case nil:
                    MessageSearch.page(of: walk(messages, request), request, for: UserID(1), following: Self.followed)
                }
            seen += page.matches.map(\.message.seq)
            start = try page.next.map { try #require(SearchPageStart($0.text)) }
            count += 1
            try #require(count < 200)
        } while start != nil
        return seen
    }

    /// A page of a search that ends after this many candidates.
    private func ranked(
        _ messages: [StoredMessage], start: SearchPageStart?, atMost count: Int
    ) -> (matches: [SearchMatch], next: SearchPageStart?) {
        let request = request(start)
        return MessageSearch.page(
            of: walk(messages, request, atMost: count), request, for: UserID(1), following: Self.followed)
    }

    /// The walk through messages, newest first, until its end or until it runs out of time after `count` candidates.
    private func walk(_ messages: [StoredMessage], _ request: SearchRequest, atMost count: Int? = nil) -> SearchWalk {
        var walk = SearchWalk(
            request, wanted: MessageSearch.ranked, hasGrams: true, now: Timestamp(milliseconds: Self.begin + 1000))
        while case .looking(let look) = walk.state {
            let rest = messages.filter { SearchCursor($0).isAfter(look.before) }
            if let count {
                walk.check(rest.prefix(count).map(SearchCursor.init), rest)
                walk.runOutOfTime()
            } else {
                let found = Array(rest.prefix(look.limit))
                walk.check(found.map(SearchCursor.init), found)
                walk.endLook(found.count)
            }
        }
        return walk
    }

    private func request(_ start: SearchPageStart?) -> SearchRequest {
        SearchRequest(workspace: WorkspaceID(3), query: SearchQuery("회의"), order: .best, start: start, limit: 8)
    }

    private func message(_ seq: Int) -> StoredMessage {
        let thread = seq % 3 == 0 && seq > Self.root ? ReplyThread(root: Self.root, isInTimeline: false) : nil
        return StoredMessage(
            room: Self.room, workspace: WorkspaceID(3), seq: Int64(seq), id: ChatID(Int64(seq)), author: UserID(2),
            session: SessionID(1), content: Self.contents[seq % 4], files: [],
            createdAt: Timestamp(milliseconds: Self.begin + Int64(seq)), clientID: nil,
            traits: thread.map { MessageTraits(thread: $0) },
            details: MessageDetails(rev: 0, editedAt: nil, deletedAt: nil))
    }
}
