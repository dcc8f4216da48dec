import Contract
import Testing
import Wire

@testable import realtime_gateway

@Suite("The rooms of a /me socket that are out of reach")
struct UnavailableRoomTests {
    private static let head = RoomHead(seq: 10, rev: 3)
    private static let channels = (Int64(1)...6).map { RoomID(ChannelID($0)) }
    private static let dm = RoomID(DMID(9))

    /// The first channel is in the workspace 3, and all other rooms are in the workspace 4.
    private static func room(_ room: RoomID) -> MeMachine.Room {
        MeMachine.Room(
            id: room, workspace: WorkspaceID(room == channels[0] ? 3 : 4), head: head, unread: 0)
    }

    /// The workspace 4 is out of reach, with these rooms.
    private static func lacking(_ rooms: RoomID...) -> MeMachine.Unavailable {
        MeMachine.Unavailable(workspaces: [WorkspaceID(4)], rooms: Set(rooms))
    }

    private static func cursors(_ rooms: [RoomID: RoomHead]) throws -> MeCursors {
        let members = rooms.map { #""\#($0)":[\#($1.seq),\#($1.rev)]"# }.joined(separator: ",")
        return try #require(MeCursors(try JSONValue(parsing: "{\(members)}")))
    }

    @Test("A room that returns is announced, and continues at the cursor that its client named before")
    func returned() throws {
        var machine = MeMachine()
        let (known, named, new) = (Self.channels[0], Self.channels[1], Self.channels[2])
        let start = RoomHead(seq: 4, rev: 1)
        let begun = machine.start(
            [Self.room(known)], without: Self.lacking(named, new),
            from: try Self.cursors([known: Self.head, named: start, Self.dm: Self.head]))
        #expect(begun == [.sendReady, .enter(known, after: Self.head, head: Self.head)])
        let still = machine.refreshed([Self.room(known)], without: Self.lacking(named, new))
        #expect(still.isEmpty)
        let back = machine.refreshed([known, named, new, Self.dm].map { Self.room($0) })
        #expect(
            back == [
                .send(.joined(named)), .send(.joined(Self.dm)), .enter(Self.dm, after: Self.head, head: Self.head),
                .enter(new, after: nil, head: nil), .enter(named, after: start, head: Self.head),
            ])
        // Its client may have read the room before the socket heard it.
        let caughtUp = machine.caughtUp(named, at: 10)
        #expect(caughtUp == [.compareReads([named: Self.room(named)])])
        let repeated = machine.refreshed([known, named, new, Self.dm].map { Self.room($0) })
        #expect(repeated.isEmpty)
    }

    @Test("A client that is far behind in a room that returns is told of the gap")
    func gap() throws {
        var machine = MeMachine()
        let room = MeMachine.Room(
            id: Self.channels[1], workspace: WorkspaceID(4), head: RoomHead(seq: 1000, rev: 3), unread: 0)
        _ = machine.start(
            [], without: Self.lacking(room.id), from: try Self.cursors([room.id: RoomHead(seq: 1, rev: 3)]))
        let back = machine.refreshed([room])
        #expect(
            back == [
                .send(.joined(room.id)), .send(.gap(MeGap(room: room.id, from: 2, to: 1000))),
                .enter(room.id, after: room.head, head: room.head),
            ])
    }

    @Test("A channel that the user lost while it was out of reach does not return, and its client is told")
    func removed() throws {
        var machine = MeMachine()
        let (before, meanwhile) = (Self.channels[1], Self.channels[2])
        let begun = machine.start(
            [], without: Self.lacking(meanwhile), from: try Self.cursors([before: Self.head, meanwhile: Self.head]))
        #expect(begun == [.sendReady, .send(.left(before))])
        let removed = machine.refreshed([], without: Self.lacking())
        #expect(removed == [.send(.left(meanwhile))])
        let back = machine.refreshed([])
        #expect(back.isEmpty)
    }

    @Test("A DM that is not there when all rooms are within reach was left")
    func leftDM() throws {
        var machine = MeMachine()
        let begun = machine.start([], without: Self.lacking(), from: try Self.cursors([Self.dm: Self.head]))
        #expect(begun == [.sendReady])
        let back = machine.refreshed([])
        #expect(back == [.send(.left(Self.dm))])
    }

    @Test("A hint of access does not let the socket into a room out of reach at its present")
    func hint() throws {
        var machine = MeMachine()
        let (named, new) = (Self.channels[1], Self.channels[2])
        _ = machine.start([], without: Self.lacking(named), from: try Self.cursors([named: Self.head]))
        let known = machine.gained(named)
        #expect(known == [.readAgain])
        let other = machine.gained(new)
        #expect(other == [.enter(new, after: nil, head: nil)])
    }

    @Test("An open socket keeps rooms out of reach, and enters a DM once it is known to be its user's still")
    func open() throws {
        var machine = MeMachine()
        let all = Array(Self.channels[1...]) + [Self.dm]
        let behind = Dictionary(uniqueKeysWithValues: all.map { ($0, RoomHead(seq: 1, rev: 1)) })
        _ = machine.start(all.map { Self.room($0) }, from: try Self.cursors(behind))
        // The last channel and the DM wait for their turns.
        let isFound = machine.doubt(nil)
        #expect(isFound)
        let channels = MeMachine.Unavailable(workspaces: [WorkspaceID(4)], rooms: Set(Self.channels[1...]))
        let kept = machine.refreshed([], without: channels)
        #expect(kept.isEmpty)
        let next = machine.caughtUp(all[0], at: 10)
        #expect(next == [.enter(all[4], after: RoomHead(seq: 1, rev: 1), head: Self.head)])
        let none = machine.caughtUp(all[1], at: 10)
        #expect(none.isEmpty)
        let back = machine.refreshed(all.map { Self.room($0) })
        #expect(back == [.enter(Self.dm, after: RoomHead(seq: 1, rev: 1), head: Self.head)])
    }

    @Test("Rooms out of reach that were entered are not checked, and those of other workspaces are")
    func entered() {
        var machine = MeMachine()
        _ = machine.start([Self.channels[0], Self.channels[1], Self.dm].map { Self.room($0) }, from: MeCursors())
        let kept = machine.refreshed([], without: Self.lacking(Self.channels[1], Self.dm))
        #expect(kept == [.recheck(Self.channels[0])])
    }

    @Test("A socket that lacks only workspaces that others have found out of reach waits for the next round")
    func rounds() {
        let lacked: [MemberID: Set<WorkspaceID>] = [
            MemberID(rawValue: 1): [WorkspaceID(4)], MemberID(rawValue: 2): [WorkspaceID(4)],
            MemberID(rawValue: 3): [WorkspaceID(4), WorkspaceID(5)], MemberID(rawValue: 4): [],
        ]
        var queue = IncompleteQueue()
        func read() -> [MemberID] { queue.take(1) { lacked[$0] ?? [] } }
        for socket in lacked.keys { queue.add(socket) }
        queue.add(MemberID(rawValue: 5))
        for _ in 1...2 {
            queue.beginRound()
            queue.note([WorkspaceID(4)])
            #expect(read() == [MemberID(rawValue: 3)])
            #expect(read().isEmpty && !queue.isEmpty)
            // It still lacks them.
            queue.add(MemberID(rawValue: 3))
        }
        queue.beginRound()
        var all: Set<MemberID> = []
        while let socket = read().first { all.insert(socket) }
        #expect(all == Set((1...3).map { MemberID(rawValue: $0) }))
        #expect(queue.isEmpty)
    }
}
