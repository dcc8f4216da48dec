import Contract
import Testing
import Wire

@testable import chat_service

@Suite("Plan of changes")
struct ChangePlanTests {
    private static let room = RoomID(ChannelID(7))
    private static let target = MessageTarget(room: room, workspace: WorkspaceID(3), name: "c")
    private static let now = Timestamp(milliseconds: 1_000_000)

    private static func key(_ seq: Int64) -> MessageKey { MessageKey(target.key, seq: seq) }

    /// A room at revision 10 with messages of user 1, the third of which is deleted.
    private static func plan(_ limits: ChangeLimits = ChangeLimits(), pins: Int = 0, isClosed: Bool = false)
        -> ChangePlan
    {
        var messages: [MessageKey: ChangePlan.Message] = [:]
        for seq in 1...3 as ClosedRange<Int64> {
            messages[key(seq)] = ChangePlan.Message(
                author: UserID(1), createdAt: Timestamp(milliseconds: 900_000), content: "text \(seq)",
                files: seq == 2 ? ["/static/channelChats/a_1.jpg"] : [], editedAt: nil, deletedAt: seq == 3 ? now : nil,
                isPinned: false)
        }
        return ChangePlan(
            rooms: [room: ChangePlan.Room(rev: 10, isClosed: isClosed, pins: pins)], messages: messages, limits: limits,
            now: now)
    }

    private static func change(_ kind: PendingChange.Kind, _ seq: Int64 = 1, by user: Int64 = 1) -> PendingChange {
        PendingChange(target: target, seq: seq, user: UserID(user), kind: kind)
    }

    private static func emoji(_ text: String) throws -> Emoji { try #require(Emoji(text)) }

    private static func code(_ verdict: ChangePlan.Verdict) -> ErrorCode? {
        if case .refused(let failure) = verdict { failure.code } else { nil }
    }

    @Test("Several changes of one message raise the revision once, and each changed message gets its own")
    func revisions() throws {
        var plan = Self.plan()
        for user in 1...5 as ClosedRange<Int64> {
            #expect(plan.apply(Self.change(.react(try Self.emoji("👍")), by: user)) == .accepted(erased: []))
        }
        #expect(plan.apply(Self.change(.pin, 2)) == .accepted(erased: []))
        #expect(plan.apply(Self.change(.edit("new"))) == .accepted(erased: []))
        let writes = plan.finished()
        #expect(writes.revs == [Self.key(1): 11, Self.key(2): 12])
        #expect(writes.rooms == [Self.target.key: 12])
        #expect(writes.messages.map(\.rev) == [11, 12])
        #expect(writes.messages.map(\.content) == ["new", nil])
        #expect(writes.versions.map(\.content) == ["text 1"])
        #expect(writes.addedReactions.count == 5)
    }

    @Test("A change that alters nothing raises no revision")
    func idempotence() throws {
        var plan = Self.plan()
        for kind in [PendingChange.Kind.edit("text 1"), .unpin, .unreact(try Self.emoji("👍"))] {
            #expect(plan.apply(Self.change(kind)) == .accepted(erased: []))
        }
        #expect(plan.finished().isEmpty)
        for _ in 0..<2 { _ = plan.apply(Self.change(.react(try Self.emoji("👍")))) }
        #expect(plan.finished().addedReactions.count == 1)
    }

    @Test(
        "A message that is unknown, deleted or in a closed room is not found, also after a deletion in the same batch")
    func missing() {
        var plan = Self.plan()
        #expect(Self.code(plan.apply(Self.change(.pin, 9))) == .notFound)
        #expect(Self.code(plan.apply(Self.change(.pin, 3))) == .notFound)
        #expect(plan.apply(Self.change(.pin, 2)) == .accepted(erased: []))
        #expect(plan.apply(Self.change(.delete, 2)) == .accepted(erased: ["/static/channelChats/a_1.jpg"]))
        #expect(Self.code(plan.apply(Self.change(.edit("x"), 2))) == .notFound)
        let writes = plan.finished()
        #expect(writes.erased.messages.map(\.key) == [Self.key(2)])
        #expect(writes.messages.map(\.deletedAt) == [Self.now])
        #expect(writes.messages.map(\.content) == [""])
        var closed = Self.plan(isClosed: true)
        #expect(Self.code(closed.apply(Self.change(.pin))) == .notFound)
    }

    @Test("Only the author edits, within the window, and not to nothing")
    func edits() {
        var plan = Self.plan()
        #expect(Self.code(plan.apply(Self.change(.edit("x"), by: 2))) == .notAllowed)
        #expect(Self.code(plan.apply(Self.change(.edit("")))) == .invalidRequest)
        #expect(plan.apply(Self.change(.edit(""), 2)) == .accepted(erased: []))
        var late = Self.plan(ChangeLimits(editWindow: .seconds(99)))
        #expect(Self.code(late.apply(Self.change(.edit("x")))) == .notAllowed)
        var early = Self.plan(ChangeLimits(editWindow: .seconds(100)))
        #expect(early.apply(Self.change(.edit("x"))) == .accepted(erased: []))
    }

    @Test("Distinct reactions and pins have limits, and existing ones can be repeated at the limit")
    func limits() throws {
        var plan = Self.plan(ChangeLimits(pins: 1, reactions: 2))
        for text in ["👍", "😀"] { _ = plan.apply(Self.change(.react(try Self.emoji(text)))) }
        #expect(Self.code(plan.apply(Self.change(.react(try Self.emoji("🎉"))))) == .invalidRequest)
        #expect(plan.apply(Self.change(.react(try Self.emoji("👍")), by: 2)) == .accepted(erased: []))
        _ = plan.apply(Self.change(.unreact(try Self.emoji("😀"))))
        #expect(plan.apply(Self.change(.react(try Self.emoji("🎉")))) == .accepted(erased: []))
        #expect(plan.emojis(of: UserID(1), on: Self.key(1)) == ["👍", "🎉"])
        #expect(plan.apply(Self.change(.pin, 1)) == .accepted(erased: []))
        #expect(Self.code(plan.apply(Self.change(.pin, 2))) == .invalidRequest)
        #expect(plan.apply(Self.change(.pin, 1)) == .accepted(erased: []))
        _ = plan.apply(Self.change(.delete, 1))
        #expect(plan.apply(Self.change(.pin, 2)) == .accepted(erased: []))
    }
}
