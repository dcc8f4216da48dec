import Contract
import Testing
import Wire

@testable import chat_service

@Suite("Rules for history from a replica")
struct ReplicaHistoryTests {
    private static let primary = NodePosition(isReplica: false, received: nil, replayed: nil)

    private static func replica(_ received: Int64?, _ replayed: Int64?) -> NodePosition {
        NodePosition(isReplica: true, received: received, replayed: replayed)
    }

    @Test("The replica that has replayed the most is read, while one node is missing")
    func best() throws {
        let best = try ReplicaChoice.best(of: [nil, Self.replica(70, 60), Self.replica(70, 70)])
        #expect(best.node == 2 && best.replayed == 70)
        // Of a primary that has become a replica nothing is known: the missing one.
        let other = try ReplicaChoice.best(of: [Self.replica(nil, 90), Self.replica(80, 80), Self.replica(80, 70)])
        #expect(other.node == 1 && other.replayed == 80)
    }

    @Test("No replica is read while a node takes writes, or while more than one is missing")
    func refused() {
        #expect(throws: ReplicaRefusal.primary) {
            try ReplicaChoice.best(of: [Self.primary, Self.replica(70, 70), Self.replica(70, 70)])
        }
        #expect(throws: ReplicaRefusal.unreachable) { try ReplicaChoice.best(of: [nil, nil, Self.replica(70, 70)]) }
        #expect(throws: ReplicaRefusal.unreachable) {
            try ReplicaChoice.best(of: [nil, Self.replica(nil, 70), Self.replica(70, 70)])
        }
        #expect(throws: ReplicaRefusal.unreachable) { try ReplicaChoice.best(of: [nil]) }
        #expect(throws: ReplicaRefusal.unreachable) { try ReplicaChoice.best(of: [Self.replica(70, 70)]) }
    }

    @Test("A read counts only if no replica has received more by its end than the read one had replayed at its begin")
    func behind() throws {
        try ReplicaChoice.check(70, against: [nil, Self.replica(70, 70), Self.replica(70, 60)])
        #expect(throws: ReplicaRefusal.behind) {
            try ReplicaChoice.check(70, against: [nil, Self.replica(71, 70), Self.replica(70, 60)])
        }
        #expect(throws: ReplicaRefusal.behind) {
            try ReplicaChoice.check(70, against: [nil, Self.replica(70, 70), Self.replica(71, 60)])
        }
        #expect(throws: ReplicaRefusal.primary) {
            try ReplicaChoice.check(70, against: [nil, Self.primary, Self.replica(70, 70)])
        }
        #expect(throws: ReplicaRefusal.unreachable) {
            try ReplicaChoice.check(70, against: [nil, nil, Self.replica(70, 70)])
        }
    }

    @Test("A message that another replica lacks is not shown: after a failover another message can have its seq")
    func unconfirmed() {
        let positions = [nil, Self.replica(70, 70), Self.replica(60, 60)]
        #expect(throws: ReplicaRefusal.unconfirmed) { try ReplicaChoice.best(of: positions) }
        #expect(throws: ReplicaRefusal.unconfirmed) { try ReplicaChoice.check(70, against: positions) }
    }

    @Test("A head that is older than the one committed or shown here is not shown")
    func knownHeads() {
        let (heads, room) = (KnownHeads(), RoomID(ChannelID(1)))
        #expect(heads.allow(.empty, of: room))
        heads.note(room, seq: 5)
        heads.note(room, rev: 3)
        heads.note(room, seq: 4, rev: 2)
        #expect(heads.allow(RoomHead(seq: 5, rev: 3), of: room) && heads.allow(RoomHead(seq: 6, rev: 4), of: room))
        #expect(!heads.allow(RoomHead(seq: 4, rev: 3), of: room) && !heads.allow(RoomHead(seq: 5, rev: 2), of: room))
        #expect(heads.allow(.empty, of: RoomID(DMID(1))))
    }

    @Test("A replica without the message or the revision that the client names is not shown")
    func seen() {
        let (head, newest) = (RoomHead(seq: 5, rev: 3), Timestamp(milliseconds: 1000))
        func isWithin(_ anchor: HistoryRequest.Anchor) -> Bool {
            HistoryRequest(anchor: anchor, limit: nil, withThreads: true).seen.isWithin(head, newest: newest)
        }
        #expect(isWithin(.after(5)) && !isWithin(.after(6)))
        #expect(isWithin(.since(newest)) && !isWithin(.since(newest + .milliseconds(2))))
        // A page before a message may begin above every message.
        #expect(isWithin(.before(.max)) && isWithin(.sinceJoining))
        #expect(SeenPart(rev: 3).isWithin(head, newest: nil) && !SeenPart(rev: 4).isWithin(head, newest: nil))
        #expect(!SeenPart(moment: newest).isWithin(head, newest: nil))
    }

    @Test("A DM is known for as long as access to a channel is: until it is old, a hint comes, or hints do not arrive")
    func knownDMs() {
        var state = KnownDMsState(capacity: 10)
        let (user, other) = (UserID(1), UserID(2))
        let dm = DM(
            id: DMID(7), workspace: WorkspaceID(3), low: user, high: other, createdAt: .earliest, lowHasLeft: false,
            highHasLeft: false)
        func isKnown(oldest: UInt64 = 0) -> Bool { state.dms([dm.id], of: user, oldest: oldest) == [dm] }
        state.keep([dm], of: user, fetchedAt: 10)
        #expect(!isKnown())
        state.become(live: true, now: 10)
        state.keep([dm], of: user, fetchedAt: 20)
        #expect(isKnown(oldest: 20) && !isKnown(oldest: 21))
        #expect(
            state.dms([dm.id], of: other, oldest: 0) == nil && state.dms([dm.id, DMID(8)], of: user, oldest: 0) == nil)
        state.invalidate(AccessHint(workspace: WorkspaceID(4)), now: 25)
        #expect(isKnown())
        for removed in [user, other, nil] {
            state.keep([dm], of: user, fetchedAt: 30)
            state.invalidate(AccessHint(workspace: dm.workspace, user: removed), now: 30)
            #expect(!isKnown())
            state.become(live: true, now: 29)
        }
        state.keep([dm], of: user, fetchedAt: 40)
        state.become(live: false, now: 41)
        #expect(!isKnown())
    }

    @Test("The lag is the time since the primary was at the replica's position; an idle primary causes no lag")
    func lag() {
        var lags = ReplicationLag()
        #expect(lags.lag(of: 0, at: 5) == 0)
        lags.note(100, at: 10)
        lags.note(200, at: 20)
        lags.note(200, at: 30)
        #expect(lags.lag(of: 200, at: 50) == 0 && lags.lag(of: 250, at: 50) == 0)
        #expect(lags.lag(of: 150, at: 50) == 30 && lags.lag(of: 50, at: 50) == 40)
        // Another primary goes on from an earlier end.
        lags.note(150, at: 60)
        #expect(lags.lag(of: 150, at: 70) == 0 && lags.lag(of: 120, at: 70) == 10)
    }

    @Test("Put-off read markers keep the newest of a reader, and stay until they are written")
    func markers() async throws {
        let (markers, target) = (
            DeferredMarkers(), MessageTarget(room: RoomID(ChannelID(1)), workspace: WorkspaceID(2), name: "general")
        )
        markers.add(UserID(1), in: target, to: 5)
        markers.add(UserID(1), in: target, to: 4)
        await #expect(throws: CancellationError.self) {
            try await markers.flush { _, _, _ in throw CancellationError() }
        }
        var written: [Int64] = []
        try await markers.flush { user, room, seq in
            #expect(user == UserID(1) && room.room == target.room)
            written.append(seq)
        }
        #expect(written == [5] && markers.isEmpty)
    }
}
