import Contract
import Testing
import Wire

@testable import realtime_gateway

@Suite("The rooms of a /me socket")
struct MeMachineTests {
    private static let rooms = (1...9).map { RoomID(ChannelID($0)) }

    private static func room(_ number: Int, unread: Int64 = 0, workspace: Int64 = 3) -> MeMachine.Room {
        MeMachine.Room(
            id: rooms[number], workspace: WorkspaceID(workspace), head: RoomHead(seq: 10, rev: 3), unread: unread)
    }

    private static func cursors(_ text: String) -> MeCursors {
        guard let json = try? JSONValue(parsing: text), let cursors = MeCursors(json) else { return MeCursors() }
        return cursors
    }

    @Test("Without cursors every room is entered after the head in ready")
    func present() {
        var machine = MeMachine()
        let head = RoomHead(seq: 10, rev: 3)
        #expect(
            machine.start([Self.room(0), Self.room(1)], from: MeCursors()) == [
                .sendReady, .enter(Self.rooms[0], after: head, head: head),
                .enter(Self.rooms[1], after: head, head: head),
            ])
    }

    @Test("Rooms that lack something are resumed a few at a time, unread ones first")
    func order() {
        var machine = MeMachine()
        let behind = #"{"channel-1":[9,3],"channel-2":[10,2],"channel-3":[8,3],"channel-4":[1,0],"channel-5":[1,1]}"#
        let found = [0, 1, 2, 3, 4].map { Self.room($0, unread: $0 == 4 ? 9 : 0) } + [Self.room(5)]
        let actions = machine.start(found, from: Self.cursors(behind))
        let entered = actions.compactMap { if case .enter(let room, _, _) = $0 { room } else { nil } }
        #expect(entered == [5, 4, 0, 1, 2].map { Self.rooms[$0] })
        #expect(machine.caughtUp(Self.rooms[5], at: 10).isEmpty, "it lacked nothing")
        let next = machine.caughtUp(Self.rooms[0], at: 10)
        #expect(
            next == [.enter(Self.rooms[3], after: RoomHead(seq: 1, rev: 0), head: RoomHead(seq: 10, rev: 3))])
        #expect(machine.caughtUp(Self.rooms[0], at: 10).isEmpty, "it is counted once")
    }

    /// A cursor, the missing messages that the client is told of, the revision after which changes are, and the start.
    struct Behind: CustomTestStringConvertible, Sendable {
        let cursor: String
        var missing: [Int64] = []
        var afterRev: Int64?
        let start: RoomHead

        var testDescription: String { cursor }
    }

    @Test(
        "A client that is more than 500 messages or changes behind is told of the gap, and goes on behind it",
        arguments: [
            Behind(cursor: "[500,7]", start: RoomHead(seq: 500, rev: 7)),
            Behind(cursor: "[499,7]", missing: [500, 1000], start: RoomHead(seq: 1000, rev: 7)),
            Behind(cursor: "[900,99]", start: RoomHead(seq: 900, rev: 99)),
            Behind(cursor: "[900,6]", missing: [1001, 1000], afterRev: 6, start: RoomHead(seq: 900, rev: 507)),
            Behind(cursor: "[0,0]", missing: [1, 1000], afterRev: 0, start: RoomHead(seq: 1000, rev: 507)),
        ])
    func gap(_ row: Behind) {
        var machine = MeMachine()
        let head = RoomHead(seq: 1000, rev: 507)
        let actions = machine.start(
            [MeMachine.Room(id: Self.rooms[0], workspace: WorkspaceID(3), head: head, unread: 0)],
            from: Self.cursors(#"{"channel-1":\#(row.cursor)}"#))
        let gaps = actions.compactMap { if case .send(.gap(let gap)) = $0 { gap } else { nil } }
        #expect(gaps.flatMap { [$0.from, $0.to] } == row.missing)
        #expect(gaps.first?.changes?.after == row.afterRev)
        #expect(actions.contains(.enter(Self.rooms[0], after: row.start, head: head)))
    }

    @Test("A client that has more than the start knows begins where it is")
    func ahead() {
        var machine = MeMachine()
        let start = RoomHead(seq: 12, rev: 4)
        #expect(
            machine.start([Self.room(0)], from: Self.cursors(#"{"channel-1":[12,4],"dm-9":[1,1]}"#)) == [
                .sendReady, .enter(Self.rooms[0], after: start, head: RoomHead(seq: 10, rev: 3)),
            ])
    }

    @Test("A new room is announced once its messages reach the socket, and a lost one at its removal")
    func access() {
        var machine = MeMachine()
        _ = machine.start([Self.room(0)], from: MeCursors())
        #expect(machine.gained(Self.rooms[1]) == [.enter(Self.rooms[1], after: nil, head: nil)])
        #expect(machine.gained(Self.rooms[1]).isEmpty)
        #expect(machine.accepted(Self.rooms[1]) == [.send(.joined(Self.rooms[1]))])
        #expect(machine.accepted(Self.rooms[0]).isEmpty, "ready has named it")
        #expect(machine.putOut(Self.rooms[1]) == [.leave(Self.rooms[1]), .send(.left(Self.rooms[1]))])
        #expect(machine.putOut(Self.rooms[1]).isEmpty)
        #expect(!machine.isIn(Self.rooms[1]))
    }

    @Test("Reading the rooms again enters new ones and checks missing ones")
    func refresh() {
        var machine = MeMachine()
        _ = machine.start([Self.room(0), Self.room(1)], from: MeCursors())
        #expect(
            machine.refreshed([Self.room(1), Self.room(2)]) == [
                .recheck(Self.rooms[0]), .enter(Self.rooms[2], after: nil, head: nil),
            ])
    }

    @Test("A room that is left before its turn is not entered, and makes room for the next")
    func leftBefore() {
        var machine = MeMachine()
        let behind = (1...6).map { #""channel-\#($0)":[1,1]"# }.joined(separator: ",")
        _ = machine.start((0..<6).map { Self.room($0) }, from: Self.cursors("{\(behind)}"))
        #expect(machine.putOut(Self.rooms[4]) == [.send(.left(Self.rooms[4]))])
        let next = machine.putOut(Self.rooms[0])
        #expect(
            next == [
                .leave(Self.rooms[0]), .send(.left(Self.rooms[0])),
                .enter(Self.rooms[5], after: RoomHead(seq: 1, rev: 1), head: RoomHead(seq: 10, rev: 3)),
            ])
        #expect(Set(machine.end().map { "\($0)" }).count == 4)
    }

    @Test("A room that may have been lost before its turn is not entered until the rooms have been read again")
    func doubt() {
        var machine = MeMachine()
        let behind = (1...7).map { #""channel-\#($0)":[1,1]"# }.joined(separator: ",")
        _ = machine.start((0..<7).map { Self.room($0) }, from: Self.cursors("{\(behind)}"))
        func entered(_ actions: [MeMachine.Action]) -> [RoomID] {
            actions.compactMap { if case .enter(let room, _, _) = $0 { room } else { nil } }
        }
        var isFound = machine.doubt(Self.rooms[0])
        #expect(!isFound, "its room checks it")
        isFound = machine.doubt(Self.rooms[4])
        #expect(isFound)
        let next = machine.caughtUp(Self.rooms[0], at: 10)
        #expect(entered(next) == [Self.rooms[5]])
        isFound = machine.doubt(nil)
        let none = machine.caughtUp(Self.rooms[1], at: 10)
        #expect(isFound && none.isEmpty)
        let read = machine.refreshed((0...5).map { Self.room($0) })
        #expect(read.contains(.send(.left(Self.rooms[6]))) && !read.contains(.leave(Self.rooms[6])))
        #expect(entered(read) == [Self.rooms[4]])
    }

    @Test("A room that cannot be read gives its turn to others, first of other workspaces, and continues later")
    func failing() {
        var machine = MeMachine()
        let behind = (1...7).map { #""channel-\#($0)":[1,1]"# }.joined(separator: ",")
        _ = machine.start(
            (0..<7).map { Self.room($0, workspace: $0 < 6 ? 3 : 4) }, from: Self.cursors("{\(behind)}"))
        let (room, head) = (Self.rooms[0], RoomHead(seq: 10, rev: 3))
        let next = machine.failed(room, at: 5)
        #expect(
            next == [
                .leave(room), .retryLater(room, failures: 1),
                .enter(Self.rooms[6], after: RoomHead(seq: 1, rev: 1), head: head),
            ])
        let repeated = machine.failed(room, at: 9)
        #expect(repeated.isEmpty, "it was left")
        let none = machine.retry(room)
        #expect(none.isEmpty, "four others are resumed")
        _ = machine.caughtUp(Self.rooms[1], at: 10)
        _ = machine.caughtUp(Self.rooms[2], at: 10)
        let again = machine.caughtUp(Self.rooms[3], at: 10)
        #expect(again == [.enter(room, after: RoomHead(seq: 5, rev: 1), head: head)])
        let second = machine.failed(room, at: nil)
        #expect(second == [.leave(room), .retryLater(room, failures: 2)])
        let last = machine.retry(room)
        #expect(last == [.enter(room, after: RoomHead(seq: 5, rev: 1), head: head)])
    }

    @Test("Read markers are compared once, for the rooms that were not entered at once, when the last one is resumed")
    func comparison() {
        var machine = MeMachine()
        let behind = #"{"channel-1":[1,1],"channel-2":[1,1],"channel-3":[10,3]}"#
        let start = machine.start((0..<3).map { Self.room($0) }, from: Self.cursors(behind))
        #expect(start.count == 4, "ready, and three rooms")
        let first = machine.caughtUp(Self.rooms[0], at: 10)
        #expect(first.isEmpty)
        _ = machine.failed(Self.rooms[1], at: nil)
        _ = machine.retry(Self.rooms[1])
        let last = machine.caughtUp(Self.rooms[1], at: 10)
        #expect(last == [.compareReads([Self.rooms[0]: Self.room(0), Self.rooms[1]: Self.room(1)])])
        let left = machine.putOut(Self.rooms[0])
        #expect(left == [.leave(Self.rooms[0]), .send(.left(Self.rooms[0]))])
    }

    @Test("The badge is counted again for messages that came while their room waited")
    func badge() {
        var machine = MeMachine()
        _ = machine.start(
            [Self.room(0), Self.room(1)], from: Self.cursors(#"{"channel-1":[1,1],"channel-2":[1,1]}"#))
        let none = machine.caughtUp(Self.rooms[0], at: 10)
        #expect(none.isEmpty, "the count of the start has them")
        _ = machine.failed(Self.rooms[1], at: 5)
        _ = machine.retry(Self.rooms[1])
        let counted = machine.caughtUp(Self.rooms[1], at: 11)
        #expect(counted.contains(.countBadge))
    }

    @Test("If no room can be read, a few wait beside the others, and the last ones keep their turns")
    func allFailing() {
        var machine = MeMachine()
        let behind = (1...9).map { #""channel-\#($0)":[1,1]"# }.joined(separator: ",")
        _ = machine.start((0..<9).map { Self.room($0) }, from: Self.cursors("{\(behind)}"))
        for room in Self.rooms.prefix(MeMachine.mostFailing) {
            #expect(machine.mayPutOff(room))
            _ = machine.failed(room, at: nil)
        }
        #expect(!machine.mayPutOff(Self.rooms[8]))
        _ = machine.retry(Self.rooms[0])
        #expect(machine.mayPutOff(Self.rooms[8]))
    }

    @Test("A room that may have been lost while it could not be read waits until all rooms have been read again")
    func failingInDoubt() {
        var machine = MeMachine()
        let (room, start, head) = (Self.rooms[0], RoomHead(seq: 1, rev: 1), RoomHead(seq: 10, rev: 3))
        _ = machine.start([Self.room(0)], from: Self.cursors(#"{"channel-1":[1,1]}"#))
        let isFound = machine.doubt(nil)
        #expect(!isFound, "its room checks it, unless the socket leaves")
        let failed = machine.failed(room, at: nil)
        #expect(failed == [.leave(room), .retryLater(room, failures: 1), .readAgain])
        let none = machine.retry(room)
        #expect(none.isEmpty)
        let read = machine.refreshed([Self.room(0)])
        #expect(read == [.enter(room, after: start, head: head)])
        let missing = machine.refreshed([])
        #expect(missing == [.recheck(room)])
        let unchecked = machine.failed(room, at: nil)
        #expect(unchecked == [.leave(room), .retryLater(room, failures: 2), .readAgain])
        let lost = machine.refreshed([])
        #expect(lost == [.send(.left(room))])
    }

    @Test(
        "Malformed cursors are refused",
        arguments: ["[]", "1", #"{"x":[1,1]}"#, #"{"dm-1":[1]}"#, #"{"dm-1":[1,-1]}"#, #"{"dm-1":["1","1"]}"#])
    func malformed(text: String) throws { #expect(MeCursors(try JSONValue(parsing: text)) == nil) }
}
