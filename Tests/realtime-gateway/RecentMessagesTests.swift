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
}
