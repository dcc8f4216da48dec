import Contract
import Testing
import Wire

@testable import realtime_gateway

/// A room's machine, event by event.
@Suite struct RoomMachineTests {
    /// A machine with the actions of its last event, and the messages that each socket was sent.
    private struct Room {
        var machine = RoomMachine<Int>()
        var actions: [RoomAction] = []
        var sent: [Int: [Int64]] = [:]

        init(head: Int64 = 0) {
            handle { $0.subscribed(&$1) }
            handle { $0.headReported(head, &$1) }
        }

        mutating func handle(_ event: (inout RoomMachine<Int>, inout [RoomAction]) -> Void) {
            actions = []
            event(&machine, &actions)
            var index = 0
            while index < actions.count {
                switch actions[index] {
                case .broadcast(let message):
                    var queued: [Int] = []
                    _ = machine.broadcast(message, &actions) { socket, _ in
                        queued.append(socket)
                        return true
                    }
                    for socket in queued { sent[socket, default: []].append(message.body.seq) }
                case .send(let id, let messages): sent[id.number, default: []] += messages.map(\.body.seq)
                // Redis answers, and sockets drain, at once.
                case .reserve(let seq): machine.reserved(through: seq, &actions)
                case .awaitRoom(let ticket), .awaitEmpty(let ticket): machine.drained(ticket, &actions)
                case .writeCursor(let ticket, _): machine.cursorWritten(ticket, &actions)
                default: break
                }
                index += 1
            }
        }

        mutating func join(_ id: Int, session: Int64 = 1, isFatal: Bool = true, _ cursor: JoinCursor) {
            handle { $0.join(.sample(id, session: session, isFatal: isFatal), &$1) }
            #expect(actions == [.readCursor(MemberID(rawValue: UInt64(id)))])
            handle { $0.cursorRead(MemberID(rawValue: UInt64(id)), cursor, &$1) }
        }

        mutating func say(_ seqs: ClosedRange<Int64>) {
            for seq in seqs { handle { $0.published(.message(.sample(seq)), &$1) } }
        }

        func phase(_ id: Int) -> RoomMember<Int>.Phase? { machine.roster[MemberID(rawValue: UInt64(id))]?.phase }
    }

    private static let one = MemberID(rawValue: 1)
    private static let two = MemberID(rawValue: 2)

    @Test("A second socket of a session begins where the session was at its join, not where the first one is later")
    func twoSockets() {
        var room = Room(head: 5)
        room.join(1, JoinCursor(seq: 5))
        room.handle { $0.join(.sample(2, session: 1, isFatal: true), &$1) }
        // Redis did not answer the first question, and knows of later messages to the first socket when it answers.
        room.handle { $0.cursorUnavailable(Self.two, roomHead: 5, &$1) }
        #expect(room.actions == [.accept(Self.two), .readLastCursor(Self.two)])
        room.say(6...8)
        room.handle { $0.lastCursorRead(Self.two, JoinCursor(seq: 8), fallback: 0, &$1) }
        room.say(9...9)
        #expect(room.sent == [1: [6, 7, 8, 9], 2: [6, 7, 8, 9]])
    }

    @Test("Without Redis, a socket is not sent messages that another loop sent to the session before the join")
    func staleLoop() {
        // This loop has lost Redis at 5, another one has sent the first socket up to 9 before the join.
        var room = Room(head: 5)
        room.handle { $0.join(.sample(2, session: 1, isFatal: true), &$1) }
        room.handle { $0.cursorUnavailable(Self.two, roomHead: 9, &$1) }
        room.handle { $0.lastCursorRead(Self.two, JoinCursor(seq: 11), fallback: 0, &$1) }
        room.say(6...12)
        #expect(room.sent == [2: [10, 11, 12]])
    }

    @Test(
        "While Redis may have lost a part of a cursor, a socket waits for all of it, even if a history reply is reported"
    )
    func incomplete() {
        var room = Room(head: 5)
        room.handle { $0.join(.sample(2, session: 1, isFatal: true), &$1) }
        room.handle { $0.cursorRead(Self.two, JoinCursor(seq: 3, timeUntilWhole: .seconds(1)), &$1) }
        #expect(room.actions == [.askHead(Self.two)])
        room.handle { $0.cursorUnavailable(Self.two, roomHead: 9, &$1) }
        #expect(room.actions == [.accept(Self.two), .readLastCursor(Self.two)])
        room.handle { $0.historyReported(Self.two, 4, &$1) }
        room.handle { $0.lastCursorRead(Self.two, JoinCursor(seq: 11), fallback: 0, &$1) }
        room.say(6...12)
        #expect(room.sent == [2: [10, 11, 12]])
    }

    @Test("A join is acknowledged after the cursor was read, and live at once where nothing was missed")
    func noWait() {
        var room = Room(head: 5)
        room.join(1, JoinCursor(seq: 5))
        #expect(room.actions.first == .accept(Self.one) && room.phase(1) == .live(cursor: 5))
    }

    @Test("A session that has read nothing waits for no history, but for the answer of chat-service")
    func firstJoin() {
        var room = Room(head: 5)
        room.join(1, JoinCursor())
        #expect(room.actions == [.accept(Self.one), .readLastCursor(Self.one)])
        room.handle { $0.lastCursorRead(Self.one, JoinCursor(), fallback: 0, &$1) }
        #expect(room.phase(1) == .live(cursor: 5))
    }

    @Test(
        "A socket waits while a history reply with missed messages is under way or may follow",
        arguments: [
            (JoinCursor(isBeingRead: true), true, true), (JoinCursor(seq: 5, isBeingRead: true), true, true),
            (JoinCursor(seq: 3), true, true), (JoinCursor(seq: 3, isFresh: true), true, false),
            (JoinCursor(seq: 3), false, false), (JoinCursor(isBeingRead: true), false, true),
            (JoinCursor(seq: 7), true, false),
        ])
    func waits(_ cursor: JoinCursor, isFatal: Bool, waits: Bool) {
        var room = Room(head: 5)
        room.join(1, isFatal: isFatal, cursor)
        #expect(room.actions.contains(.startHistoryTimer(Self.one)) == waits)
    }

    @Test("A socket that waited begins after the history reply, once")
    func history() {
        var room = Room(head: 5)
        for seq in Int64(1)...5 { room.handle { $0.published(.message(.sample(seq)), &$1) } }
        room.join(1, JoinCursor(isBeingRead: true))
        room.say(6...7)
        room.handle { $0.historyReported(Self.one, 6, &$1) }
        room.handle { $0.historyReported(Self.one, 4, &$1) }
        #expect(room.sent == [1: [7]])
    }

    @Test("A live socket is not sent the messages of an earlier history reply, but those that the reply left out")
    func wants() {
        var room = Room(head: 5)
        room.join(1, JoinCursor(seq: 5))
        room.handle { $0.historyReported(Self.one, 9, leaving: 6...7, &$1) }
        room.say(6...10)
        #expect(room.sent == [1: [6, 7, 10]])
    }

    @Test("A live socket that fetches history is not sent messages of the reply that were still on their way to it")
    func historyWhileLive() {
        var room = Room(head: 5)
        room.join(1, JoinCursor(seq: 5))
        room.handle { $0.historyReported(Self.one, 8, &$1) }
        room.say(6...9)
        #expect(room.sent == [1: [9]])
    }

    @Test("A removed member is sent nothing after the removal, even where a pause or a backfill holds up the room")
    func removal() {
        var room = Room()
        room.join(1, session: 1, JoinCursor(seq: 0))
        room.join(2, session: 2, JoinCursor(seq: 0))
        room.say(1...2)
        room.handle { $0.published(.removed(room: RoomID(ChannelID(7)), after: 3, user: UserID(1)), &$1) }
        #expect(room.actions == [.backfill(after: 2)])
        room.handle { $0.backfilled([.sample(3), .sample(4)], head: 4, &$1) }
        #expect(room.actions.contains(.recheck(Self.one)))
        room.say(5...5)
        #expect(room.sent == [1: [1, 2, 3], 2: [1, 2, 3, 4, 5]])
        // The removal is heard late.
        room.handle { machine, _ in machine.pause() }
        room.handle { $0.published(.removed(room: RoomID(ChannelID(7)), after: 4, user: UserID(2)), &$1) }
        #expect(room.phase(2) == .observing(cursor: 5))
    }

    @Test("A member whose access is being rechecked receives the held messages once access is confirmed")
    func unknown() {
        var room = Room()
        room.join(1, JoinCursor(seq: 0))
        room.handle { machine, _ in machine.accessUnknown(Self.one) }
        room.say(1...2)
        #expect(room.sent == [:])
        room.handle { $0.accessChecked(Self.one, isMember: true, &$1) }
        #expect(room.sent == [1: [1, 2]])
    }

    @Test("Without an answer about everybody's access nothing goes out, and a later check replaces an earlier one")
    func rechecks() {
        var room = Room()
        room.join(1, JoinCursor(seq: 0))
        for number in UInt64(1)...2 {
            room.handle { $0.resubscribed(&$1) }
            #expect(room.actions.contains(.recheckAll(number)))
        }
        room.say(1...1)
        room.handle { $0.allRechecked(1, &$1) }
        #expect(room.sent == [:])
        room.handle { $0.allRechecked(2, &$1) }
        #expect(room.sent == [1: [1]])
    }

    @Test("A room that holds too much closes its sockets, and the next joiner misses nothing")
    func giveUp() {
        var room = Room()
        room.join(1, JoinCursor(seq: 0))
        room.handle { $0.resubscribed(&$1) }
        room.say(1...4097)
        #expect(room.actions == [.closeSocket(Self.one)])
        room.handle { $0.leave(Self.one, &$1) }
        #expect(room.actions.first == .releaseCursor(Self.one, cursor: 0, isClaimed: true) && room.machine.head == 4097)
        room.handle { $0.join(.sample(2, session: 1, isFatal: false), &$1) }
        room.handle { $0.cursorRead(Self.two, JoinCursor(seq: 0), &$1) }
        #expect(room.actions.contains { if case .fetchPage(_, 0) = $0 { true } else { false } })
    }

    @Test("A full socket falls behind alone, and Redis has its cursor before it continues")
    func backpressure() throws {
        var room = Room()
        room.join(1, JoinCursor(seq: 0))
        room.handle { machine, actions in
            machine.published(.message(.sample(1)), &actions)
            machine.reserved(through: 1, &actions)
        }
        var actions: [RoomAction] = []
        room.machine.published(.message(.sample(2)), &actions)
        room.machine.reserved(through: 2, &actions)
        _ = room.machine.broadcast(.sample(2), &actions) { _, _ in false }
        let write = actions.compactMap { if case .writeCursor(_, let write) = $0 { write } else { nil } }
        #expect(write == [.claim(cursor: 1, start: 0, end: 1)])
    }
}
