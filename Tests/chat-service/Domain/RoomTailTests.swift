import Contract
import Testing
import Wire

@testable import chat_service

@Suite("Room tails")
struct RoomTailTests {
    private static let room = RoomID(ChannelID(7))
    private static let (reader, author, other) = (UserID(1), UserID(2), UserID(3))

    private static func message(
        by author: UserID = author, isDeleted: Bool = false, isAside: Bool = false
    ) -> RoomTail.Message { .init(author: author, isDeleted: isDeleted, isAside: isAside) }

    /// - Parameter seq: the room's head.
    private static func tail(
        _ messages: [RoomTail.Message], head seq: Int64? = nil, mentions: [(Int64, Int64)]? = []
    ) -> RoomTail {
        RoomTail(
            head: RoomHead(seq: seq ?? Int64(messages.count), rev: 0), last: nil, messages: messages,
            mentions: mentions?.map { RoomTail.Mention(seq: $0.0, number: $0.1) })
    }

    /// The read marker, the unread messages and the mentions; nil if the tail cannot tell.
    private static func counts(_ tail: RoomTail, after marker: Int64, hiding blocked: Set<UserID> = []) -> [Int64]? {
        tail.state(in: room, of: reader, marker: marker, hiding: blocked).map {
            [$0.readMarker, $0.unread, $0.mentions]
        }
    }

    @Test("Messages by others after the read marker are unread, but not deleted or blocked ones and asides")
    func unread() {
        let tail = Self.tail([
            Self.message(), Self.message(isDeleted: true), Self.message(isAside: true), Self.message(by: Self.other),
            Self.message(),
        ])
        #expect(Self.counts(tail, after: 0) == [0, 3, 0])
        #expect(Self.counts(tail, after: 1) == [1, 2, 0])
        #expect(Self.counts(tail, after: 4) == [4, 1, 0])
        #expect(Self.counts(tail, after: 0, hiding: [Self.other]) == [0, 2, 0])
        for marker in [5, 9] as [Int64] { #expect(Self.counts(tail, after: marker) == [marker, 0, 0]) }
    }

    @Test("The user's last message in the timeline counts as a read marker, and an aside does not")
    func own() {
        let own = Self.message(by: Self.reader)
        let tail = Self.tail([
            Self.message(), own, Self.message(), Self.message(by: Self.reader, isAside: true), Self.message(),
        ])
        #expect(Self.counts(tail, after: 0) == [2, 2, 0])
        #expect(Self.counts(tail, after: 3) == [3, 1, 0])
    }

    @Test("A message that mentions the user counts once, and not if it is read, blocked, an aside or the user's own")
    func mentions() {
        let tail = Self.tail(
            [
                Self.message(), Self.message(), Self.message(by: Self.other), Self.message(isAside: true),
                Self.message(),
            ],
            mentions: [(1, 0), (2, 0), (2, 1), (3, -1), (4, 1), (5, 3)])
        #expect(Self.counts(tail, after: 0) == [0, 4, 3])
        #expect(Self.counts(tail, after: 1) == [1, 3, 2])
        #expect(Self.counts(tail, after: 0, hiding: [Self.other]) == [0, 3, 2])
        #expect(Self.counts(tail, after: 3) == [3, 1, 0])
    }

    @Test("A tail that does not reach back to the read marker, or has too many mentions, cannot tell")
    func tooShort() {
        let messages = [Self.message(), Self.message(), Self.message()]
        let tail = Self.tail(messages, head: 10)
        #expect(Self.counts(tail, after: 6) == nil)
        #expect(Self.counts(tail, after: 7) == [7, 3, 0])
        #expect(Self.counts(Self.tail(messages + [Self.message(by: Self.reader)], head: 10), after: 0) == [10, 0, 0])
        let full = Self.tail(messages, mentions: nil)
        #expect(Self.counts(full, after: 2) == nil)
        #expect(Self.counts(full, after: 3) == [3, 0, 0])
    }
}
