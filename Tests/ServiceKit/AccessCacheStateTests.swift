import Contract
import Testing
import Wire

@testable import ServiceKit

@Suite("State of a cache of access")
struct AccessCacheStateTests {
    private var state = AccessCacheState(capacity: 3)
    private let one = UserID(1)
    private let two = UserID(2)
    private let here = WorkspaceID(3)
    private let elsewhere = WorkspaceID(4)

    init() { state.become(live: true, now: 10) }

    private static func access(_ channel: Int64, in workspace: WorkspaceID) -> ChannelAccess {
        ChannelAccess(
            id: ChannelID(channel), workspace: workspace, name: "general", role: .member, isDefault: false, version: 1)
    }

    /// Keeps access to channel 7 of `here` for both users, and to channel 8 of `elsewhere` for the first, fetched at 20.
    private mutating func fill() {
        state.keep(Self.access(7, in: here), of: one, fetchedAt: 20)
        state.keep(Self.access(7, in: here), of: two, fetchedAt: 20)
        state.keep(Self.access(8, in: elsewhere), of: one, fetchedAt: 20)
    }

    private func isKnown(_ user: UserID, _ channel: Int64, oldest: UInt64 = 0) -> Bool {
        state.access(of: user, to: ChannelID(channel), oldest: oldest) != nil
    }

    @Test("Access is kept for each user and channel, until it is too old")
    mutating func kept() {
        fill()
        #expect(isKnown(one, 7) && isKnown(two, 7) && isKnown(one, 8))
        #expect(!isKnown(two, 8) && !isKnown(one, 9))
        #expect(isKnown(one, 7, oldest: 20) && !isKnown(one, 7, oldest: 21))
    }

    @Test("A hint about a user invalidates their access in its workspace, and nothing else")
    mutating func userHint() {
        fill()
        state.invalidate(AccessHint(workspace: here, user: one), now: 30)
        #expect(!isKnown(one, 7))
        #expect(isKnown(two, 7) && isKnown(one, 8))
    }

    @Test(
        "A hint about a whole workspace or channel invalidates the access of all users, and no other workspace's",
        arguments: [nil, ChannelID(7)])
    mutating func workspaceHint(_ channel: ChannelID?) {
        fill()
        state.invalidate(AccessHint(workspace: here, channel: channel), now: 30)
        #expect(!isKnown(one, 7) && !isKnown(two, 7))
        #expect(isKnown(one, 8))
    }

    @Test("Access from a call that began before a hint, or in the same moment, is not believed; later access is")
    mutating func overtaken() {
        state.invalidate(AccessHint(workspace: here, user: nil), now: 30)
        for moment in [29, 30] as [UInt64] {
            state.keep(Self.access(7, in: here), of: one, fetchedAt: moment)
            #expect(!isKnown(one, 7))
        }
        state.keep(Self.access(7, in: here), of: one, fetchedAt: 31)
        #expect(isKnown(one, 7))
    }

    @Test("While hints do not arrive, the cache keeps nothing, and later rejects data that was fetched in that time")
    mutating func lost() {
        fill()
        state.become(live: false, now: 40)
        #expect(!isKnown(one, 7))
        state.keep(Self.access(7, in: here), of: one, fetchedAt: 41)
        state.become(live: true, now: 50)
        #expect(!isKnown(one, 7))
        state.keep(Self.access(7, in: here), of: one, fetchedAt: 49)
        #expect(!isKnown(one, 7))
        state.keep(Self.access(7, in: here), of: one, fetchedAt: 51)
        #expect(isKnown(one, 7))
    }

    @Test("A full cache drops entries, never hints that still count")
    mutating func full() {
        fill()
        state.keep(Self.access(9, in: here), of: two, fetchedAt: 25)
        #expect(isKnown(two, 9) && !isKnown(one, 7))
        for workspace in 20..<24 {
            state.invalidate(AccessHint(workspace: WorkspaceID(Int64(workspace)), user: nil), now: 30)
        }
        #expect(!isKnown(two, 9))
        state.keep(Self.access(9, in: here), of: two, fetchedAt: 29)
        #expect(!isKnown(two, 9), "the call began before hints that are forgotten")
    }
}
