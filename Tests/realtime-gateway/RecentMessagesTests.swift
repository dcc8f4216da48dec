import Contract
import Testing
import Wire

@testable import realtime_gateway

@Suite("Recent messages")
struct RecentMessagesTests {
    private static func change(_ seq: Int64, _ content: String, rev: Int64, isDeleted: Bool = false) -> RoomChange {
        let plain = RoomMessage.sample(seq)
        return RoomChange(
            RoomMessage(
                room: plain.room, workspace: plain.workspace, name: plain.name,
                body: MessageBody(
                    id: plain.body.id, seq: seq, content: content, createdAt: plain.body.createdAt, files: [],
                    author: plain.body.author,
                    revision: MessageRevision(rev: rev, deletedAt: isDeleted ? .now : nil)),
                session: plain.session))
    }

    /// A room with three messages that no native socket hears.
    private static func room() -> RoomMachine<Int> {
        var machine = RoomMachine<Int>()
        var actions: [RoomAction] = []
        machine.subscribed(&actions)
        machine.revisionReported(0, &actions)
        machine.headReported(0, &actions)
        for seq in 1...3 as ClosedRange<Int64> {
            machine.published(.message(.sample(seq)), &actions)
            _ = machine.broadcast(.sample(seq), &actions) { _, _ in true }
        }
        return machine
    }

    private static func contents(_ machine: RoomMachine<Int>, after seq: Int64 = 0) -> [String]? {
        machine.recent(after: seq)?.map(\.body.content)
    }

    @Test("A socket that catches up is sent a changed message as it is now, and no deleted text")
    func changes() {
        var machine = Self.room()
        var actions: [RoomAction] = []
        machine.published(.changed(Self.change(2, "edited", rev: 1)), &actions)
        machine.published(.changed(Self.change(3, "", rev: 2, isDeleted: true)), &actions)
        // A late event with an earlier state changes nothing.
        machine.published(.changed(Self.change(3, "late", rev: 1)), &actions)
        machine.published(.changed(Self.change(9, "unknown", rev: 3)), &actions)
        #expect(Self.contents(machine) == ["1", "edited", ""])
        #expect(machine.recent(after: 2)?.first?.body.isDeleted == true)
    }

    @Test("After an event that stands for other changes too, no socket is sent a text from before")
    func others() {
        var machine = Self.room()
        var actions: [RoomAction] = []
        let last = Self.change(3, "", rev: 2, isDeleted: true).message
        machine.published(.changed(RoomChange(last, revs: [2], othersAfter: 0)), &actions)
        #expect(Self.contents(machine) == nil)
        // Nobody here hears changes, so nobody asks for them.
        #expect(actions.isEmpty)
    }

    @Test("Once changes may have been lost, the messages are read again")
    func lost() {
        var machine = Self.room()
        var actions: [RoomAction] = []
        machine.revisionReported(0, &actions)
        #expect(Self.contents(machine) == ["1", "2", "3"])
        machine.revisionReported(4, &actions)
        #expect(Self.contents(machine) == nil)
    }

    // MARK: Sockets that come back together

    /// A room of which this loop has heard nothing but its head and its revision.
    private static func returning(head: Int64, rev: Int64 = 0) -> RoomMachine<Int> {
        var machine = RoomMachine<Int>()
        var actions: [RoomAction] = []
        machine.subscribed(&actions)
        machine.revisionReported(rev, &actions)
        machine.headReported(head, &actions)
        return machine
    }

    /// A device joins with its cursor. Returns the step that fetches, or the messages that it is sent at once.
    private static func join(
        _ number: UInt64, _ machine: inout RoomMachine<Int>, after cursor: Int64, rev: Int64 = 0
    ) -> (fetch: Ticket?, sent: [Int64]) {
        var actions: [RoomAction] = []
        let member = RoomMember(
            me: MemberID(rawValue: number), user: UserID(Int64(number)), socket: Int(number), after: cursor)
        machine.join(member, changesAfter: rev, &actions)
        return settle(&machine, actions)
    }

    /// Every socket has room.
    private static func settle(
        _ machine: inout RoomMachine<Int>, _ actions: [RoomAction]
    ) -> (fetch: Ticket?, sent: [Int64]) {
        var (actions, fetch, sent) = (actions, Ticket?.none, [Int64]())
        while !actions.isEmpty {
            switch actions.removeFirst() {
            case .awaitRoom(let ticket): machine.drained(ticket, &actions)
            case .fetchPage(let ticket, _): fetch = ticket
            case .send(_, let messages): sent += messages.map(\.body.seq)
            default: break
            }
        }
        return (fetch, sent)
    }

    @Test("Messages that were fetched for one socket are sent to the others without a fetch")
    func shared() throws {
        var machine = Self.returning(head: 3)
        let ticket = try #require(Self.join(1, &machine, after: 1).fetch)
        var actions: [RoomAction] = []
        let page = [RoomMessage.sample(2), .sample(3)]
        machine.pageFetched(ticket, page, end: .max, askedAt: machine.recent.version, &actions)
        #expect(Self.settle(&machine, actions).sent == [2, 3])
        #expect(Self.join(2, &machine, after: 1) == (nil, [2, 3]))
        #expect(Self.join(3, &machine, after: 2) == (nil, [3]))
        #expect(Self.join(4, &machine, after: 0).fetch != nil, "nobody has fetched the first message")
    }

    @Test("A message that was broadcast during a fetch follows the fetched ones")
    func broadcastMeanwhile() throws {
        var machine = Self.returning(head: 2)
        let ticket = try #require(Self.join(1, &machine, after: 1).fetch)
        var actions: [RoomAction] = []
        machine.published(.message(.sample(3)), &actions)
        _ = machine.broadcast(.sample(3), &actions) { _, _ in true }
        machine.pageFetched(ticket, [.sample(2)], end: 2, askedAt: machine.recent.version, &actions)
        #expect(Self.join(2, &machine, after: 1) == (nil, [2, 3]))
    }

    @Test("A page that does not reach the head is not kept, as later messages would be missing")
    func gap() throws {
        var machine = Self.returning(head: 9)
        let ticket = try #require(Self.join(1, &machine, after: 1).fetch)
        var actions: [RoomAction] = []
        machine.pageFetched(ticket, [.sample(2)], end: 2, askedAt: machine.recent.version, &actions)
        #expect(Self.join(2, &machine, after: 1).fetch != nil)
    }

    @Test("A page that was asked for before a change is not kept, as it may be older than the change")
    func changedMeanwhile() throws {
        var machine = Self.returning(head: 2)
        let ticket = try #require(Self.join(1, &machine, after: 1).fetch)
        let version = machine.recent.version
        var actions: [RoomAction] = []
        machine.published(.changed(Self.change(2, "edited", rev: 1)), &actions)
        machine.pageFetched(ticket, [.sample(2)], end: .max, askedAt: version, &actions)
        #expect(Self.join(2, &machine, after: 1, rev: 1).fetch != nil)
    }

    @Test("A client that knows a change before this loop does is sent no text from before the change")
    func ahead() throws {
        var machine = Self.returning(head: 2)
        let ticket = try #require(Self.join(1, &machine, after: 1).fetch)
        var actions: [RoomAction] = []
        machine.pageFetched(ticket, [.sample(2)], end: .max, askedAt: machine.recent.version, &actions)
        #expect(Self.join(2, &machine, after: 1, rev: 5).fetch != nil)
    }
}
