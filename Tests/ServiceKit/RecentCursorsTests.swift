import ServiceKit
import Testing
import Wire

@Suite struct RecentCursorsTests {
    private static let second: UInt64 = 1_000_000_000

    private static func known(_ session: Int64) -> SessionCursors.Known {
        .confirmed(SessionID(session), RoomID(ChannelID(7)), seq: 1)
    }

    private static func sessions(_ all: [SessionCursors.Known]) -> [Int64] {
        all.compactMap { if case .confirmed(let session, _, _) = $0 { session.rawValue } else { nil } }
    }

    @Test("Cursors are remembered for a minute, however often they are written again")
    func minute() {
        var recent = RecentCursors()
        recent.note(Self.known(1), at: 100 * Self.second)
        recent.note(Self.known(2), at: 130 * Self.second)
        #expect(Self.sessions(recent.all(at: 160 * Self.second)) == [1, 2])
        for _ in 1...2 { #expect(Self.sessions(recent.all(at: 161 * Self.second)) == [2]) }
        #expect(Self.sessions(recent.all(at: 191 * Self.second)) == [])
    }

    @Test("Of too many cursors the older half is forgotten")
    func limit() {
        var recent = RecentCursors(limit: 4)
        for session in Int64(1)...5 { recent.note(Self.known(session), at: 0) }
        #expect(Self.sessions(recent.all(at: 0)) == [3, 4, 5])
    }
}
