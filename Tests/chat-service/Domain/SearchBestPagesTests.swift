import Contract
import Search
import Testing
import Wire

@testable import chat_service

@Suite("Pages of best")
struct SearchBestPagesTests {
    /// The beginning of a period.
    private static let period = SearchPartitions.beginning(of: 655).milliseconds
    /// Texts that best puts in another order than the time.
    private static let contents = ["회의", "재회의", "정기 회의 자료", "회의를"]

    @Test("S4 The pages of best have every match once, beyond those that are ranked at a time")
    func pages() throws {
        let messages = (1...1050).reversed().map { message($0, Self.contents[$0 % 4], by: Int64($0 % 7)) }
        let seen = try bestPages { _ in messages }
        #expect(seen.count == messages.count)
        #expect(Set(seen) == Set(messages.map(\.seq)))
        #expect(seen != messages.map(\.seq))
    }

    @Test("S4 Messages that are sent and deleted between the pages of best move none of the others")
    func changesBetweenPages() throws {
        let messages = (1...1050).reversed().map { message($0, Self.contents[$0 % 4], by: Int64($0 % 7)) }
        let newer = (1051...1300).reversed().map { message($0, "회의") }
        // Some of those that were shown and some that were not, the newest and those around the end of the first 400 included.
        let gone = Set(messages.map(\.seq).filter { $0 % 5 == 0 || (640...660).contains($0) || $0 > 1040 })
        let kept = messages.map(\.seq).filter { !gone.contains($0) }
        let seen = try bestPages { page in
            page == 0 ? messages : (newer + messages).filter { !gone.contains($0.seq) }
        }
        #expect(Set(seen).count == seen.count)
        #expect(Set(seen).isSuperset(of: kept))
        #expect(Set(seen).isDisjoint(with: newer.map(\.seq)))
    }

    @Test("S4 Messages that come to match between the pages of best hide and repeat none of the others")
    func edits() throws {
        // The best ones are the oldest of the first 400, so the first page shows them.
        let messages = (1...1050).reversed().map { message($0, (606...625).contains($0) ? "회의" : "재회의") }
        let early = messages.filter { $0.seq % 10 != 5 }
        let seen = try bestPages { page in page == 0 ? early : messages }
        #expect(Set(seen).count == seen.count)
        #expect(Set(seen).isSuperset(of: early.map(\.seq)))
    }

    @Test("S4 An own match that is deleted, or a thread that is followed, between pages of best moves no other match")
    func favorsOfFirstPage() throws {
        let rooms = [RoomID(ChannelID(7)), RoomID(ChannelID(8))]
        let messages = (1...100).reversed().map {
            message($0, "회의", in: rooms[$0 % 2], by: $0 == 100 ? 1 : 2, thread: $0 % 8 == 1 ? 3 : nil)
        }
        let thread = MessageKey(RoomKey(workspace: WorkspaceID(3), id: rooms[1]), seq: 3)
        let seen = try bestPages(following: { page in page == 0 ? [] : [thread] }) { page in
            page == 0 ? messages : Array(messages.dropFirst())
        }
        #expect(seen.count == messages.count && Set(seen) == Set(messages.map(\.seq)))
    }

    /// The seqs on all pages of best, read through the texts of their cursors.
    ///
    /// - Parameters:
    ///   - threads: those that the caller follows while a page is read.
    ///   - messages: the messages while a page is read, newest first.
    private func bestPages(
        following threads: (Int) -> Set<MessageKey> = { _ in [] }, of messages: (Int) -> [StoredMessage]
    ) throws -> [Int64] {
        var (seen, start, count): ([Int64], SearchPageStart?, Int) = ([], nil, 0)
        repeat {
            let request = request(start)
            var walk = SearchWalk(
                request, wanted: MessageSearch.wanted(by: request), hasGrams: true,
                now: Timestamp(milliseconds: Self.period + 86_400_000))
            let all = messages(count)
            while case .looking(let look) = walk.state {
                let rest = all.filter { $0.seq < look.before.seq }.prefix(look.limit)
                walk.check(rest.map(SearchCursor.init), Array(rest))
                walk.endLook(rest.count)
            }
            let page = MessageSearch.page(of: walk, request, for: UserID(1), following: threads(count))
            seen += page.matches.map(\.message.seq)
            start = try page.next.map { try #require(SearchPageStart($0.text)) }
            count += 1
        } while start != nil
        return seen
    }

    private func request(_ start: SearchPageStart?) -> SearchRequest {
        SearchRequest(workspace: WorkspaceID(3), query: SearchQuery("회의"), order: .best, start: start, limit: 20)
    }

    private func message(
        _ seq: Int, _ content: String, in room: RoomID = RoomID(ChannelID(7)), by author: Int64 = 2,
        thread: Int64? = nil
    ) -> StoredMessage {
        StoredMessage(
            room: room, workspace: WorkspaceID(3), seq: Int64(seq), id: ChatID(Int64(seq)), author: UserID(author),
            session: SessionID(1), content: content, files: [],
            createdAt: Timestamp(milliseconds: Self.period + Int64(seq)), clientID: nil,
            traits: thread.map { MessageTraits(thread: ReplyThread(root: $0, isInTimeline: false)) },
            details: MessageDetails(rev: 0, editedAt: nil, deletedAt: nil))
    }
}
