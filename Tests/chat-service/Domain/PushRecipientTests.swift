import Contract
import Testing
import Wire

@testable import chat_service

@Suite("Push recipients")
struct PushRecipientTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private static func reason(
        _ level: RoomNotify.Level = .all, mutedFor: Int64? = nil, isQuiet: Bool = false,
        keywords: [String] = [], mentions: Mentions = .none,
        here: Set<UserID>? = [UserID(5)], isFollower: Bool = false
    ) -> PushReason {
        let recipient = PushRecipient(
            user: UserID(5),
            notify: RoomNotify(level: level, mutedUntil: mutedFor.map { now + .milliseconds($0) }), isQuiet: isQuiet,
            keywords: keywords, isFollower: isFollower)
        let message = PushedMessage(mentions: mentions.list, words: KeywordSearch("배포가 끝났어요"), here: here)
        return recipient.reason(for: message, at: now)
    }

    @Test("A message is pushed by the level of the room, and a mention or keyword passes the level mentions")
    func levels() {
        #expect(Self.reason() == .all)
        #expect(Self.reason(.mentions) == .mentionsOnly)
        #expect(Self.reason(.none) == PushReason.none)
        let mentioned = [
            Mentions(users: [UserID(5)]), Mentions(room: true), Mentions(here: true),
            Mentions(users: [UserID(6), UserID(5)]),
        ]
        for mentions in mentioned {
            #expect(Self.reason(.mentions, mentions: mentions) == .mention)
            #expect(Self.reason(.all, mentions: mentions) == .mention)
            #expect(Self.reason(.none, mentions: mentions) == PushReason.none)
        }
        #expect(Self.reason(.mentions, mentions: Mentions(users: [UserID(6)])) == .mentionsOnly)
        #expect(Self.reason(.mentions, keywords: ["회의", "배포"]) == .keyword)
        #expect(Self.reason(.mentions, keywords: ["회의"]) == .mentionsOnly)
        #expect(Self.reason(.none, keywords: ["배포"]) == PushReason.none)
        #expect(Self.reason(.mentions, isFollower: true) == .thread)
        #expect(Self.reason(.all, isFollower: true) == .thread)
        #expect(Self.reason(.none, isFollower: true) == PushReason.none)
        #expect(Self.reason(.mentions, mentions: Mentions(room: true), isFollower: true) == .mention)
    }

    @Test("@here passes the level mentions of present members alone, and of all members if presence is unknown")
    func here() {
        let here = Mentions(here: true)
        #expect(Self.reason(.mentions, mentions: here) == .mention)
        #expect(Self.reason(.mentions, mentions: here, here: nil) == .mention)
        #expect(Self.reason(.mentions, mentions: here, here: [UserID(6)]) == .notHere)
        #expect(Self.reason(.all, mentions: here, here: [UserID(6)]) == .all)
        #expect(Self.reason(.mentions, keywords: ["배포"], mentions: here, here: []) == .keyword)
        #expect(Self.reason(.mentions, mentions: Mentions(users: [UserID(5)], here: true), here: []) == .mention)
        #expect(Self.reason(.mentions, here: []) == .mentionsOnly)
        #expect(!PushReason.notHere.isPush)
    }

    @Test("Nothing passes a mute, or do-not-disturb hours")
    func quiet() {
        let mention = Mentions(users: [UserID(5)])
        #expect(Self.reason(mutedFor: 1, mentions: mention) == .muted)
        #expect(Self.reason(mutedFor: 0, mentions: mention) == .mention)
        #expect(Self.reason(isQuiet: true, keywords: ["배포"], mentions: mention) == .doNotDisturb)
        #expect(Self.reason() == .all)
    }
}
