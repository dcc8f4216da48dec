import Contract
import Testing
import Wire

@testable import chat_service

@Suite("Plan of threads")
struct ThreadPlanTests {
    private static let (room, other) = (RoomID(ChannelID(7)), RoomID(ChannelID(8)))

    private static func key(_ room: RoomID, _ seq: Int64) -> MessageKey {
        MessageKey(RoomKey(workspace: WorkspaceID(3), id: room), seq: seq)
    }

    private static func reply(
        to seq: Int64, by author: Int64, in room: RoomID = room, isInTimeline: Bool = false,
        mentions: [Int64] = [], blockers: [Int64] = []
    ) -> PendingMessage {
        .sample(
            room: room, author: author, reply: ReplyRequest(seq: seq, isInTimeline: isInTimeline),
            mentions: mentions.map { .user(UserID($0), nickname: nil) }, blockers: blockers.map { UserID($0) })
    }

    /// Message 1 is a root without replies by user 9, which mentions user 8. Message 5 is a reply to root 2.
    private static func plan(_ messages: [PendingMessage]) -> ThreadPlan {
        let head = RoomHead(seq: 10, rev: 20)
        return ThreadPlan(
            BatchOrder(messages),
            [
                key(room, 1): ThreadPlan.Target(
                    root: 1, isOpen: true, firstFollowers: [UserID(8), UserID(9)], users: [], head: head),
                key(room, 5): ThreadPlan.Target(
                    root: 2, isOpen: true, firstFollowers: [], users: [3, 4, 5, 6, 7].map { UserID($0) }, head: head),
                key(room, 2): ThreadPlan.Target(
                    root: 2, isOpen: true, firstFollowers: [], users: [3, 4, 5, 6, 7].map { UserID($0) }, head: head),
                key(other, 1): ThreadPlan.Target(
                    root: 1, isOpen: true, firstFollowers: [UserID(9)], users: [],
                    head: RoomHead(seq: 1, rev: 0)),
            ])
    }

    @Test("Many replies in one batch raise the revision of their root once, and each root gets its own")
    func revisions() {
        let plan = Self.plan([
            Self.reply(to: 1, by: 1), .sample(), Self.reply(to: 5, by: 2), Self.reply(to: 1, by: 3, isInTimeline: true),
            Self.reply(to: 1, by: 1, in: Self.other), Self.reply(to: 2, by: 4, isInTimeline: true),
        ])
        #expect(plan.roots.map(\.key.seq) == [1, 2, 1])
        #expect(plan.roots.map(\.rev) == [21, 22, 1])
        // The plain message takes number 12.
        #expect(plan.roots.map(\.lastSeq) == [14, 15, 2])
        #expect(plan.roots.map(\.added) == [2, 2, 1])
        #expect(plan.roots.map(\.hasAsides) == [true, true, true])
    }

    @Test("The summary names the newest five authors, newest first and each once")
    func authors() {
        let plan = Self.plan([Self.reply(to: 5, by: 1), Self.reply(to: 2, by: 4), Self.reply(to: 5, by: 1)])
        #expect(plan.roots.map { $0.users.map(\.rawValue) } == [[1, 4, 3, 5, 6]])
    }

    @Test("A member that has blocked the author follows no thread by a mention")
    func blockers() {
        let plan = Self.plan([Self.reply(to: 5, by: 1, mentions: [2, 3], blockers: [3])])
        #expect(plan.followers.map(\.user.rawValue) == [1, 2])
        let replied = Self.plan([Self.reply(to: 5, by: 1, mentions: [3], blockers: [3]), Self.reply(to: 5, by: 3)])
        #expect(replied.followers.map(\.user.rawValue) == [1, 3])
    }

    @Test("Authors and mentioned members follow; an author has read the own reply, a mentioned member the ones before")
    func followers() {
        let plan = Self.plan([
            Self.reply(to: 1, by: 1, mentions: [2]), Self.reply(to: 1, by: 2), Self.reply(to: 1, by: 3, mentions: [1]),
        ])
        let followers = Dictionary(uniqueKeysWithValues: plan.followers.map { ($0.user.rawValue, $0) })
        #expect(followers.mapValues(\.readSeq) == [8: 1, 9: 1, 1: 11, 2: 12, 3: 13])
        #expect(followers.mapValues(\.reason) == [8: .root, 9: .root, 1: .replied, 2: .replied, 3: .replied])
        let second = Self.plan([Self.reply(to: 5, by: 1, mentions: [2, 3])])
        #expect(second.followers.map(\.user.rawValue) == [1, 2, 3])
        #expect(second.followers.map(\.readSeq) == [11, 10, 10])
        #expect(second.followers.map(\.reason) == [.replied, .mentioned, .mentioned])
    }
}
